import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ServerProcess, startServerProcess } from './server-process.testing.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spanhouse-first-minutes-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function listenOn(port: number): Promise<Server> {
  const listener = createServer().listen(port, '127.0.0.1')
  await once(listener, 'listening')
  return listener
}

/** How a start ends, with everything it wrote. */
const failure = (env: NodeJS.ProcessEnv, dataDir = join(folder, 'unused')): Promise<string> =>
  startServerProcess({ dataDir, env }).then(
    () => 'it started',
    (error: Error) => error.message,
  )

test.each([
  ['SPANHOUSE_LOG_LEVEL', 'loud', /^SPANHOUSE_LOG_LEVEL=loud is none of .*info.*$/],
  ['SPANHOUSE_API_KEY', 'short', /^SPANHOUSE_API_KEY is shorter than 8 characters.*$/],
  ['SPANHOUSE_ADMIN_KEY', 'short', /^SPANHOUSE_ADMIN_KEY is shorter than 24 characters.*$/],
  ['SPANHOUSE_GRPC_PORT', 'four', /^SPANHOUSE_GRPC_PORT=four is not a port$/],
  ['SPANHOUSE_ROLES', 'reader', /^SPANHOUSE_ROLES=reader: there is no role "reader".*$/],
  ['SPANHOUSE_API_KEY', 'with a space', /^SPANHOUSE_API_KEY must be .* visible ASCII characters without spaces$/],
  ['CLICKHOUSE_URL', 'http://a,http://b', /^CLICKHOUSE_URL takes a single address; .*CLICKHOUSE_URLS$/],
])('%s=%s is refused in one line', async (name, value, line) => {
  const [head, ...lines] = (await failure({ [name]: value })).trimEnd().split('\n')
  expect(head).toBe('the server ended with code 2:')
  expect(lines).toEqual([expect.stringMatching(line)])
})

test('arguments, which would be without effect, are refused in one line', async () => {
  const start = join(import.meta.dirname, 'start.ts')
  await expect(promisify(execFile)(process.execPath, [start, '--port', '4700'])).rejects.toMatchObject({
    code: 2,
    stderr: '--port: Spanhouse takes no arguments; its settings are variables such as SPANHOUSE_PORT\n',
  })
})

test.each(['below a file', 'where nothing can be created'])('a data folder %s is refused in one line', async place => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const dataDir = place === 'below a file' ? join(file, 'below') : '/proc/spanhouse'
  const [head, ...lines] = (await failure({}, dataDir)).trimEnd().split('\n')
  expect([head, lines.length]).toEqual(['the server ended with code 2:', 1])
  expect(lines[0]).toContain(`SPANHOUSE_DATA_DIR=${dataDir}: `)
})

describe('a server', () => {
  let server: ServerProcess
  let port: Server
  const dataDir = (): string => join(folder, "it's data")
  beforeAll(async () => {
    // Another program has the port of OTLP over gRPC. A server of another test file may have it for a moment.
    port = await vi.waitFor(() => listenOn(4317), { timeout: 60_000, interval: 100 })
    server = await startServerProcess({
      dataDir: dataDir(),
      env: {
        SPANHOUSE_API_KEY: '',
        SPANHOUSE_SECRET_KEY: 'x'.repeat(24),
        SPANHOUSE_GRPC_PORT: '',
        SPANHOUSE_DATADIR: 'x',
        spanhouse_port: '1',
        SPANHOUSE_CLICKHOUSE_URL: 'http://127.0.0.1:1',
      },
    })
  })
  afterAll(async () => {
    await server?.stop()
    port?.close()
  })

  test.runIf(process.platform === 'linux')("whose event loop comes before writers and V8's helpers", () => {
    const normal = getPriority()
    const prioritiesOf = (name: string): number[] =>
      readdirSync(`/proc/${server.pid}/task`)
        .filter(thread => readFileSync(`/proc/${server.pid}/task/${thread}/comm`, 'utf8') === `${name}\n`)
        .map(thread => getPriority(Number(thread)))
    expect(getPriority(server.pid)).toBe(normal)
    expect(prioritiesOf('WorkerThread')).toContain(Math.max(10, normal))
    expect(new Set(prioritiesOf('node-V8Worker'))).toEqual(new Set([Math.max(10, normal)]))
  })

  test('that finds the default port of gRPC in use says so once and serves HTTP', async () => {
    expect(server.grpcUrl).toBe('')
    expect(server.output().match(/OTLP over gRPC is not available/g)).toHaveLength(1)
    expect((await fetch(`${server.url}/api/ready`)).status).toBe(200)
  })

  test('with a port of gRPC that was set and is in use does not start', async () => {
    const { port } = new URL(server.url)
    expect(await failure({ SPANHOUSE_GRPC_PORT: port })).toMatch(
      /code 2:\nSPANHOUSE_GRPC_PORT: .*address already in use.*\n$/,
    )
  })

  test('accepts the shortest secret key without a warning', () => {
    expect(server.output()).not.toContain('shorter')
  })

  test('warns of settings that do not exist, with the nearest name', () => {
    for (const [name, nearest] of [
      ['SPANHOUSE_DATADIR', 'SPANHOUSE_DATA_DIR'],
      ['spanhouse_port', 'SPANHOUSE_PORT'],
      ['SPANHOUSE_CLICKHOUSE_URL', 'CLICKHOUSE_URL'],
    ])
      expect(server.output()).toContain(`There is no setting ${name}; did you mean ${nearest}?`)
    expect(server.output().match(/There is no setting/g)).toHaveLength(3)
  })

  test('prints commands that work when they are pasted together, in another folder', async () => {
    const lines = server.output().split('\n')
    const commands = lines.filter(line => /^ {4}(curl|export) /.test(line))
    expect(commands).toHaveLength(4)
    const script = [...commands, 'echo "$OTEL_EXPORTER_OTLP_HEADERS"'].join('\n')
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: tmpdir() })
    const [sent, found, headers] = stdout.trim().split('\n') as [string, string, string]
    const { count, links } = JSON.parse(sent)
    expect(count).toBe(1)
    expect(JSON.parse(found).traces).toMatchObject([{ trace_id: links[0].trace_id, spans: { hello: {} } }])
    expect(headers).toMatch(/^authorization=ApiKey%20[A-Za-z0-9]{8}\.[0-9a-f]{64}$/)
  })

  test('keeps a second one off its folder, which says so in one line', async () => {
    expect(await failure({}, dataDir())).toMatch(
      /code 1:\nSpanhouse cannot start: SPANHOUSE_DATA_DIR=.* is in use by another process\n$/,
    )
  })

  test('logs refused exports with the reason and the sender, and never the key', async () => {
    const refused = (): string[] =>
      server
        .output()
        .split('\n')
        .filter(line => line.includes('export rejected'))
    for (let time = 0; time < 3; time++)
      await fetch(`${server.url}/api/otlp/v1/traces`, {
        method: 'POST',
        headers: { authorization: 'ApiKey a-key-of-nobody', 'user-agent': 'an exporter' },
      })
    expect(refused()).toHaveLength(1)
    expect(JSON.parse(refused()[0] as string)).toMatchObject({
      door: 'http',
      reason: 'Unauthorized',
      userAgent: 'an exporter',
    })
    expect(server.output()).not.toContain('a-key-of-nobody')
  })
})
