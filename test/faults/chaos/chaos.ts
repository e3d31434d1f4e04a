import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { eventually } from '../../harness.ts'
import { faultsIn, Load } from './load.ts'
import { Questions } from './questions.ts'
import { type Random, seeded } from './random.ts'
import { startCluster, startEmbedded, startNetworked, type Victim, type Victims } from './victims.ts'

export interface ChaosOptions {
  set: keyof typeof SETS
  seconds: number
  seed: number
  /** Called with each fault and its victim. */
  tell?(event: string): void
}

export interface ChaosResult extends Omit<ChaosOptions, 'tell'> {
  events: Record<string, number>
  traces: number
  /** Spans answered with 202; all of what was sent. */
  accepted: number
  /** Seconds from the end of the faults until the stream was empty and everything had been looked at. */
  settledSeconds: number
  /** Messages in the stream at the end: pending, and dead letters. */
  messagesLeft: number
  deadLetters: number
  /** Answers to questions that were asked meanwhile, by status. */
  answers: Record<number, number>
  /**
   * Empty if exactly the accepted spans are stored, each once, with the totals of the oracle, and every question was
   * answered, or refused for now.
   */
  faults: string[]
}

const WRITERS = 2

/** The processes to which faults happen. */
export const SETS = {
  embedded: startEmbedded,
  networked: () => startNetworked(WRITERS),
  cluster: () => startCluster(WRITERS),
} as const

/** And half as long as the load has lasted: faults hold the writers up more than the senders. */
const SETTLE_MS_MIN = 120_000
const FAULTS_SHOWN = 20

/**
 * A load of traces while processes are killed and started again, or stopped for a while; then what is stored is
 * checked.
 */
export async function chaos({ tell = () => {}, ...options }: ChaosOptions): Promise<ChaosResult> {
  const random = seeded(options.seed)
  const victims = await SETS[options.set]()
  try {
    const ending = new AbortController()
    const load = new Load(victims.target, seeded(options.seed + 1))
    const questions = new Questions(victims.target, seeded(options.seed + 2))
    const loading = Promise.all([load.run(ending.signal), questions.run(ending.signal)])
    const events = await harm(victims, { ...options, random, tell })
    ending.abort()
    await loading
    const started = performance.now()
    const receiver = victims.server(options.set === 'embedded' ? 'all' : 'receiver')
    const settleMs = SETTLE_MS_MIN + 500 * options.seconds
    const faults = [
      ...(await settledFaults(load, victims, { receiver, settleMs, tell })),
      ...shortened(questions.faults),
    ]
    const settledSeconds = Math.round((performance.now() - started) / 100) / 10
    const messagesLeft = await receiver.metric('spanhouse_stream_messages')
    const deadLetters = await receiver.metric('spanhouse_dead_letters')
    if (faults.length > 0) for (const { name, output } of victims.all) tell(`${name} said:\n${output?.() ?? ''}`)
    const [traces, accepted] = [load.traces.length, load.accepted.size]
    const { answers } = questions
    return { ...options, events, traces, accepted, settledSeconds, messagesLeft, deadLetters, answers, faults }
  } finally {
    await victims.stop()
  }
}

/** Once the stream is empty, everything accepted has been stored: messages are acknowledged only then. */
async function settledFaults(
  load: Load,
  victims: Victims,
  { receiver, settleMs, tell }: { receiver: ServerProcess; settleMs: number; tell(event: string): void },
): Promise<string[]> {
  const isEmpty = async (): Promise<boolean> => (await receiver.metric('spanhouse_stream_messages')) === 0
  await eventually(isEmpty, settleMs).catch(() => undefined)
  tell(`the stream is drained; ${load.traces.length} traces are read back`)
  return shortened(await faultsIn(load, victims.target))
}

function shortened(faults: readonly string[]): string[] {
  const more = faults.length - FAULTS_SHOWN
  return more > 0 ? [...faults.slice(0, FAULTS_SHOWN), `and ${more} more`] : [...faults]
}

type Action = (victim: Victim, random: Random) => Promise<void>

/** The last one is longer than leases and deliveries are held for a silent consumer. */
const ACTIONS: Record<string, Action> = {
  kill: async (victim, random) => {
    await victim.kill()
    await delay(random.below(1_000))
    await victim.restart()
  },
  stop: (victim, random) => pause(victim, 200 + random.below(3_000)),
  'long stop': (victim, random) => pause(victim, 11_000 + random.below(3_000)),
}
const WEIGHED = ['kill', 'kill', 'kill', 'stop', 'stop', 'long stop'] as const

async function pause(victim: Victim, ms: number): Promise<void> {
  victim.pause()
  await delay(ms)
  victim.resume()
}

async function harm(
  victims: Victims,
  { seconds, random, tell }: Required<Pick<ChaosOptions, 'seconds' | 'tell'>> & { random: Random },
): Promise<Record<string, number>> {
  const end = performance.now() + seconds * 1000
  const events: Record<string, number> = {}
  while (performance.now() < end) {
    await delay(500 + random.below(2_000))
    const victim = random.pick(victims.killable)
    const action = 'pause' in victim ? random.pick(WEIGHED) : 'kill'
    const event = `${action} ${victim.name}`
    tell(event)
    events[event] = (events[event] ?? 0) + 1
    await (ACTIONS[action] as Action)(victim as Victim, random)
  }
  return events
}
