import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { hundredths, MESSAGES, type ModelPlace, percentiles, withFakeModel } from './with-fake-model.ts'

const DELAY_MS = 500
const MODEL = `fake-delay-${DELAY_MS}`
const CONCURRENT = 200
/** Calls in progress at this rate, if each takes half a second. */
const CALLS_PER_SECOND = CONCURRENT * 2
const ROUND_SECONDS = 3
const ROUNDS = 4
const WARM_UP_ROUNDS = 2

const agent = new Agent({ connections: CONCURRENT * 2 })

/**
 * The time of a run in addition to its model, which responds after half a second in a separate process. Calls arrive at
 * a constant rate, whether or not earlier ones have ended. The provider and the services are called in turn, so load on
 * the machine affects both.
 */
export const benchOverhead = (): Promise<object> => withFakeModel(measure)

async function measure({ server, providerUrl, headers, runUrl, runOf }: ModelPlace): Promise<object> {
  const question = JSON.stringify({ model: MODEL, messages: MESSAGES })
  const direct = () => timed(`${providerUrl}/chat/completions`, { 'content-type': 'application/json' }, question)
  const body = JSON.stringify(runOf(MODEL))
  const run = () => timed(runUrl, headers, body)
  const times: { direct: number[]; run: number[] } = { direct: [], run: [] }
  let [cpuSeconds, ownCpuMs, overheads] = [0, 0, [] as object[]]
  const clientDelay = monitorEventLoopDelay({ resolution: 1 })
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const asked = await steadily(direct)
    const before = await server.cpuSeconds()
    const ownBefore = process.cpuUsage()
    clientDelay.reset()
    clientDelay.enable()
    const ran = await steadily(run)
    clientDelay.disable()
    const clientDelayMs = hundredths(clientDelay.percentile(99) / 1e6)
    if (round < WARM_UP_ROUNDS) continue
    cpuSeconds += (await server.cpuSeconds()) - before
    const { user, system } = process.cpuUsage(ownBefore)
    ownCpuMs += (user + system) / 1000
    overheads.push({ ...differenceOf(ran, asked), max: hundredths(Math.max(...ran) - DELAY_MS), clientDelayMs })
    times.direct.push(...asked)
    times.run.push(...ran)
  }
  return {
    concurrent: CONCURRENT,
    runs: times.run.length,
    modelMs: percentiles(times.direct),
    invokeMs: percentiles(times.run),
    overheadMs: differenceOf(times.run, times.direct),
    overheadMsByRound: overheads,
    cpuMsPerRun: hundredths((cpuSeconds * 1000) / times.run.length),
    clientCpuMsPerRun: hundredths(ownCpuMs / times.run.length),
    tracesLost: await server.metric('spanhouse_run_traces_lost_total'),
  }
}

function differenceOf(ran: readonly number[], asked: readonly number[]): { p50: number; p99: number } {
  const [one, other] = [percentiles(ran), percentiles(asked)]
  return { p50: hundredths(one.p50 - other.p50), p99: hundredths(one.p99 - other.p99) }
}

/** Starts calls at a constant rate for a round, and resolves to their times. */
async function steadily(call: () => Promise<number>): Promise<number[]> {
  const calls: Promise<number>[] = []
  const begin = performance.now()
  while (calls.length < CALLS_PER_SECOND * ROUND_SECONDS) {
    const due = ((performance.now() - begin) / 1000) * CALLS_PER_SECOND
    while (calls.length < due) calls.push(call())
    await delay(1)
  }
  return Promise.all(calls)
}

async function timed(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const begin = performance.now()
  const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`)
  return performance.now() - begin
}
