import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { typesOf } from '../../packages/client/generate.testing.ts'

const CLIENT = join(import.meta.dirname, '../../packages/client')

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-client-'))
  server = await startServerProcess({ dataDir })
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(path: string, body?: object): Promise<any> {
  const headers = { authorization: `ApiKey ${server.apiKey}`, 'content-type': 'application/json' }
  const request = body && { method: 'POST', body: JSON.stringify(body) }
  return (await fetch(`${server.url}/api${path}`, { headers, ...request })).json()
}

test('the types of the client are those of the interface', async () => {
  const kept = await readFile(join(CLIENT, 'interface.ts'), 'utf8')
  const isCurrent = kept === (await typesOf(await ask('/openapi.json')))
  expect(isCurrent, 'run npm run generate -w packages/client').toBe(true)
}, 120_000)

test.each([
  [process.execPath, 'evaluate-from-outside.ts', 901],
  ['bash', 'evaluate-from-outside.sh', 901],
])(
  '1,000 testcases are evaluated from outside: %s %s',
  async (program, file, success) => {
    const env = { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_API_KEY: server.apiKey }
    const { stdout } = await promisify(execFile)(program, [join(CLIENT, 'examples', file)], { env })
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ testcases: 1_000, success })
    const { run } = await ask(`/evaluations/runs/${result.run_id}`)
    expect(run).toMatchObject({ status: 'success', flags: { is_closed: true, is_active: false } })
    const { count } = await ask('/evaluations/results/query', { result: { run_id: result.run_id } })
    expect(count).toBe(3_000)
  },
  240_000,
)
