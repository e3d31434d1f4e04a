import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { typesOf } from '../../packages/client/generate.testing.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLIENT = join(ROOT, 'packages/client')
const run = promisify(execFile)

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await newDataDir('client')
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
})

test.each([
  [process.execPath, 'evaluate-from-outside.ts', 901],
  ['bash', 'evaluate-from-outside.sh', 901],
])('1,000 testcases are evaluated from outside: %s %s', async (program, file, success) => {
  const env = { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_API_KEY: server.apiKey }
  const { stdout } = await run(program, [join(CLIENT, 'examples', file)], { env })
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ testcases: 1_000, success })
  const stored = await ask(`/evaluations/runs/${result.run_id}`)
  expect(stored.run).toMatchObject({ status: 'success', flags: { is_closed: true, is_active: false } })
  const { count } = await ask('/evaluations/results/query', { result: { run_id: result.run_id } })
  expect(count).toBe(3_000)
})

/** Libraries of the client, and theirs: packed from where they are installed, since tests reach no registry. */
const LIBRARIES = [
  'node_modules/openapi-fetch',
  'node_modules/openapi-typescript-helpers',
  'packages/client/node_modules/eventsource-parser',
]

/** A program of somebody who has installed the client. */
const PROGRAM = `import { answered, createSpanhouse, followRun, SpanhouseError } from '@spanhouse/client'
const spanhouse = createSpanhouse({ url: 'http://127.0.0.1:4600', apiKey: '' })
const { runs } = await answered(spanhouse.POST('/evaluations/runs/query', { body: {} }))
const id: string = runs[0]!.id
await answered(spanhouse.POST('/evaluations/runs/{run_id}/close', { params: { path: { run_id: id } } }))
for await (const { name } of followRun(spanhouse, id)) if (name === 'end') throw new SpanhouseError(500, name)
// @ts-expect-error
await spanhouse.POST('/nowhere')
`

test('the published package is installed in an empty folder, its types compile, and its example runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-stranger-'))
  try {
    await run('npm', ['run', 'build', '-w', 'packages/client'], { cwd: ROOT })
    const packed = [join(CLIENT, 'dist'), ...LIBRARIES.map(path => join(ROOT, path))]
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, ...packed], { cwd: ROOT })
    const archives = (await readdir(folder)).map(name => `./${name}`)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: folder })
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--types', '']
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'program.ts'], {
      cwd: folder,
    })
    const example = 'node_modules/@spanhouse/client/examples/evaluate-from-outside.js'
    const env = { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_API_KEY: server.apiKey }
    const { stdout } = await run(process.execPath, [example], { cwd: folder, env })
    expect(JSON.parse(stdout)).toMatchObject({ testcases: 1_000, success: 901 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
