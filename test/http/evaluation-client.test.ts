import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { typesOf } from '../../packages/client/generate.testing.ts'
import { ask, newProject } from '../harness.ts'

const { apiUrl, receiverUrl, set } = inject('target')
const CLIENT = join(import.meta.dirname, '../../packages/client')

/** Where roles run apart, each describes what it serves. */
test.runIf(set === 'embedded')('the types of the client are those of the interface', { timeout: 120_000 }, async () => {
  const { body } = await ask(`${apiUrl}/api/openapi.json`)
  const kept = await readFile(join(CLIENT, 'interface.ts'), 'utf8')
  const isCurrent = kept === (await typesOf(body))
  expect(isCurrent, 'run npm run generate -w packages/client').toBe(true)
})

test.runIf(apiUrl === receiverUrl).each([
  [process.execPath, 'evaluate-from-outside.ts', 901],
  ['bash', 'evaluate-from-outside.sh', 901],
])('1,000 testcases are evaluated from outside: %s %s', { timeout: 240_000 }, async (program, file, success) => {
  const project = await newProject()
  const env = { ...process.env, SPANHOUSE_URL: apiUrl, SPANHOUSE_API_KEY: project.apiKey }
  const { stdout } = await promisify(execFile)(program, [join(CLIENT, 'examples', file)], { env })
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ testcases: 1_000, success })
  const { run } = (await project.get(`/api/evaluations/runs/${result.run_id}`)).body
  expect(run).toMatchObject({ status: 'success', flags: { is_closed: true, is_active: false } })
  const { body } = await project.post('/api/evaluations/results/query', { result: { run_id: result.run_id } })
  expect(body.count).toBe(3_000)
})
