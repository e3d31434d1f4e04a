import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { runHelpersBehind } from '@spanhouse/priority'
import { Agent, request } from 'undici'
import { rounded } from '../measured.ts'
import { MESSAGES, type ModelPlace, percentiles, withFakeModel } from './with-fake-model.ts'

const DELAY_MS = 500
const MODEL = `fake-delay-${DELAY_MS}`
const CONCURRENT = 200
/** Runs in progress at this rate, if each takes half a second. */
const RUNS_PER_SECOND = CONCURRENT * 2
/** Runs after which the provider itself is called once. */
const RUNS_PER_DIRECT_CALL = 10
const ROUND_RUNS = 10 * RUNS_PER_SECOND
/** V8 optimises some 200 functions in them, most within two seconds. */
const WARM_UP_ROUNDS = 3
const ROUNDS = 4

const agent = new Agent({ connections: CONCURRENT * 2 })

interface Call {
  isDirect: boolean
  ms: number
}

/**
 * The time of a run in addition to its model, which responds after half a second in a separate process. Runs begin at a
 * constant rate, whether or not earlier ones have ended, and without pauses, in which connections would be closed.
 * Direct calls to the provider are made among them, so load on the machine affects both. The first rounds are reported
 * separately.
 */
export const benchOverhead = (): Promise<object> => withFakeModel(measure)

async function measure({ server, providerUrl, headers, runUrl, runOf }: ModelPlace): Promise<object> {
  const question = JSON.stringify({ model: MODEL, messages: MESSAGES })
  const runBody = JSON.stringify(runOf(MODEL))
  const call = async (isDirect: boolean): Promise<Call> => {
    const ms = isDirect
      ? await timed(`${providerUrl}/chat/completions`, { 'content-type': 'application/json' }, question)
      : await timed(runUrl, headers, runBody)
    return { isDirect, ms }
  }
  // As the server's do, for which they took the processors for up to 95 ms.
  runHelpersBehind()
  const rounds: Promise<Call>[][] = []
  while (rounds.length < WARM_UP_ROUNDS) rounds.push(await oneRound(call))
  const cpuBefore = await server.cpuSeconds()
  const ownBefore = process.cpuUsage()
  const clientDelay = monitorEventLoopDelay({ resolution: 1 })
  clientDelay.enable()
  while (rounds.length < WARM_UP_ROUNDS + ROUNDS) rounds.push(await oneRound(call))
  clientDelay.disable()
  const { user, system } = process.cpuUsage(ownBefore)
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore
  const all = await Promise.all(rounds.map(round => Promise.all(round)))
  const measured = all.slice(WARM_UP_ROUNDS)
  const runs = timesOf(measured.flat(), false)
  const modelMs = percentiles(timesOf(measured.flat(), true))
  const overheadOf = (times: number[]): object => {
    const { p50, p99 } = percentiles(times)
    return { p50: rounded(p50 - modelMs.p50), p99: rounded(p99 - modelMs.p99) }
  }
  return {
    concurrent: CONCURRENT,
    runs: runs.length,
    modelMs,
    invokeMs: percentiles(runs),
    overheadMs: overheadOf(runs),
    overheadMsByRound: all.map(round => overheadOf(timesOf(round, false))),
    maxMs: rounded(Math.max(...runs) - DELAY_MS),
    clientDelayMs: rounded(clientDelay.percentile(99) / 1e6),
    cpuMsPerRun: rounded((cpuSeconds * 1000) / (ROUNDS * ROUND_RUNS)),
    clientCpuMsPerRun: rounded((user + system) / 1000 / (ROUNDS * ROUND_RUNS)),
    tracesLost: await server.metric('spanhouse_run_traces_lost_total'),
  }
}

const timesOf = (calls: readonly Call[], isDirect: boolean): number[] =>
  calls.filter(one => one.isDirect === isDirect).map(one => one.ms)

/** Begins the calls of a round at the constant rate, and returns when the last of them has begun. */
async function oneRound(call: (isDirect: boolean) => Promise<Call>): Promise<Promise<Call>[]> {
  const calls: Promise<Call>[] = []
  const begin = performance.now()
  for (let runs = 0; runs < ROUND_RUNS; ) {
    const due = ((performance.now() - begin) / 1000) * RUNS_PER_SECOND
    for (; runs < due; runs++) {
      calls.push(call(false))
      if (runs % RUNS_PER_DIRECT_CALL === 0) calls.push(call(true))
    }
    await delay(1)
  }
  return calls
}

async function timed(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const begin = performance.now()
  const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`)
  return performance.now() - begin
}
