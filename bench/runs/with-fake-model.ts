import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { request } from 'undici'
import { quantile, rounded } from '../measured.ts'

const FAKE = fileURLToPath(new URL('../../packages/fake-provider/main.ts', import.meta.url))

/** Every process of a benchmark of runs: the server, and a fake provider with a stored connection to it. */
export interface ModelPlace {
  server: ServerProcess
  /** The base of the provider's interface. */
  providerUrl: string
  /** Of a request for a run. */
  headers: Record<string, string>
  /** The URL that runs a completion. */
  runUrl: string
  /** The body of a run whose prompt goes to a model of the fake provider. */
  runOf(model: string): object
}

/** The models that benchmarks use; see the README of fake-provider. */
const MODELS = ['fake-delay-500', 'fake-clock-20', 'fake-slow-1000']

export const MESSAGES = [{ role: 'user', content: 'Which city?' }]

/** Starts a server and a fake provider, each in a process of its own, and removes both with their data afterwards. */
export async function withFakeModel<T>(work: (place: ModelPlace) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-runs-'))
  const fake = spawn(process.execPath, [FAKE], { stdio: ['ignore', 'pipe', 'inherit'] })
  let server: ServerProcess | undefined
  try {
    const [line] = (await once(fake.stdout, 'data')) as [Buffer]
    const providerUrl = `${line.toString().trim()}/v1`
    server = await startServerProcess({ dataDir, env: { SPANHOUSE_OUTBOUND_OPEN: 'true' } })
    const headers = { authorization: `ApiKey ${server.apiKey}`, 'content-type': 'application/json' }
    const connection = await connect(server.url, headers, providerUrl)
    const runUrl = `${server.url}/services/completion/v0/invoke`
    const runOf = (model: string): object => ({
      data: { inputs: {}, parameters: { prompt: { messages: MESSAGES, llm_config: { model, connection } } } },
    })
    return await work({ server, providerUrl, headers, runUrl, runOf })
  } finally {
    await server?.stop()
    fake.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function connect(url: string, headers: Record<string, string>, providerUrl: string): Promise<string> {
  const data = { kind: 'custom', provider: { url: providerUrl, key: 'k' }, models: MODELS.map(slug => ({ slug })) }
  const body = JSON.stringify({ header: { name: 'Bench' }, secret: { kind: 'custom_provider', data } })
  const answer = await request(`${url}/api/secrets/`, { method: 'POST', headers, body })
  return ((await answer.body.json()) as { slug: string }).slug
}

/** The median and the 99th percentile, in milliseconds. */
export const percentiles = (times: readonly number[]): { p50: number; p99: number } => ({
  p50: rounded(quantile(times, 0.5)),
  p99: rounded(quantile(times, 0.99)),
})
