import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { Agent, request } from 'undici'

const MODEL_MS = 500
const CONCURRENT = 200
const ROUNDS = 8
const WARM_UP_ROUNDS = 2
const FAKE = new URL('../packages/fake-provider/main.ts', import.meta.url).pathname

/** Many at a time, each on a connection of its own. */
const agent = new Agent({ connections: CONCURRENT })

/**
 * What a run of a completion takes beyond its model, which answers after half a second in a process of its own: 200 calls under way,
 * asked directly and through the services in turn, so that the machine's own noise is in both.
 */
export async function benchInvoke(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-invoke-'))
  const fake = spawn(process.execPath, [FAKE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(fake.stdout, 'data')) as [Buffer]
  const providerUrl = `${line.toString().trim()}/v1`
  const server = await startServerProcess({ dataDir, env: { SPANHOUSE_OUTBOUND_OPEN: 'true' } })
  try {
    const headers = { authorization: `ApiKey ${server.apiKey}` }
    const connection = await connect(server.url, headers, providerUrl)
    const model = `fake-delay-${MODEL_MS}`
    const messages = [{ role: 'user', content: 'Which city?' }]
    const parameters = { prompt: { messages, llm_config: { model, connection } } }
    const direct = () => timed(`${providerUrl}/chat/completions`, {}, { model, messages })
    const run = () =>
      timed(`${server.url}/services/completion/v0/invoke`, headers, { data: { inputs: {}, parameters } })
    const times: { direct: number[]; run: number[] } = { direct: [], run: [] }
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const asked = await together(direct)
      const ran = await together(run)
      if (round < WARM_UP_ROUNDS) continue
      times.direct.push(...asked)
      times.run.push(...ran)
    }
    return {
      concurrent: CONCURRENT,
      runs: times.run.length,
      modelMs: figuresOf(times.direct),
      invokeMs: figuresOf(times.run),
      overheadMs: {
        p50: round(at(times.run, 0.5) - at(times.direct, 0.5)),
        p99: round(at(times.run, 0.99) - at(times.direct, 0.99)),
      },
      tracesLost: await server.metric('spanhouse_run_traces_lost_total'),
    }
  } finally {
    await server.stop()
    fake.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function connect(url: string, headers: Record<string, string>, providerUrl: string): Promise<string> {
  const models = [{ slug: `fake-delay-${MODEL_MS}` }]
  const data = { kind: 'custom', provider: { url: providerUrl, key: 'k' }, models }
  const body = JSON.stringify({ header: { name: 'Bench' }, secret: { kind: 'custom_provider', data } })
  const answer = await request(`${url}/api/secrets/`, { method: 'POST', headers, body })
  return ((await answer.body.json()) as { slug: string }).slug
}

/** One call after the other at even distances, so that as many are under way all the time. */
const together = (call: () => Promise<number>): Promise<number[]> =>
  Promise.all(
    Array.from({ length: CONCURRENT }, async (_, place) => {
      await delay((place * MODEL_MS) / CONCURRENT)
      return call()
    }),
  )

async function timed(url: string, headers: Record<string, string>, body: object): Promise<number> {
  const begin = performance.now()
  const json = { ...headers, 'content-type': 'application/json' }
  const answer = await request(url, { dispatcher: agent, method: 'POST', headers: json, body: JSON.stringify(body) })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`)
  return performance.now() - begin
}

const at = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)] as number

const round = (ms: number): number => Math.round(ms * 100) / 100

const figuresOf = (times: readonly number[]): object => ({ p50: round(at(times, 0.5)), p99: round(at(times, 0.99)) })
