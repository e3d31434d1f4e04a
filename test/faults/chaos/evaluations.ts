import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../harness.ts'
import { Asked, BATCH_SIZE } from './asked.ts'
import { seeded } from './random.ts'
import { startEmbedded, startNetworked, type Victims } from './victims.ts'

export interface EvaluationChaosOptions {
  set: 'embedded' | 'networked'
  scenarios: number
  kills: number
  seed: number
  /** Told what happens to whom. */
  tell?(event: string): void
}

export interface EvaluationChaosResult extends Omit<EvaluationChaosOptions, 'tell'> {
  events: Record<string, number>
  /** Kills during the run; the others came after its end. */
  killsDuringRun: number
  status: string
  seconds: number
  /** Root spans of the application, and of the evaluator. */
  invocations: number
  annotations: number
  /** Empty: every cell is there once, every trace once, and each cell has its trace. */
  faults: string[]
}

const ROLES = { writers: 1, workers: 2 }
/** The calls of the application are slow enough for the run to last this long per kill. */
const SECONDS_PER_KILL = 4
/** After the last kill: leases of dead workers run out first. */
const SETTLE_MS = 300_000

/**
 * An evaluation while processes are killed and started again: workers, writers, the interface and stores. Then what is
 * stored is counted: one invocation and one annotation for each scenario, and nothing else.
 */
export async function chaosEvaluations(options: EvaluationChaosOptions): Promise<EvaluationChaosResult> {
  const { set, scenarios, kills, seed, tell = () => {} } = options
  const victims = set === 'embedded' ? await startEmbedded() : await startNetworked(ROLES.writers, ROLES.workers)
  try {
    const asked = new Asked(victims)
    const started = performance.now()
    const run = await asked.start(scenarios, (SECONDS_PER_KILL * kills * BATCH_SIZE) / scenarios)
    const { events, killsDuringRun } = await kill(victims, { kills, seed, tell, isOver: () => asked.isOver(run.id) })
    const status = await eventually(async () => {
      const { status } = await asked.run(run.id)
      return status === 'running' ? undefined : status
    }, SETTLE_MS)
    const seconds = Math.round((performance.now() - started) / 100) / 10
    tell(`the run ended with ${status} after ${seconds} s; its results are counted`)
    const counted = await asked.count(run, scenarios)
    if (counted.faults.length > 0)
      for (const { name, output } of victims.all) tell(`${name} said:\n${output?.() ?? ''}`)
    return { set, scenarios, kills, seed, events, killsDuringRun, status, seconds, ...counted }
  } finally {
    await victims.stop()
  }
}

interface Killing {
  kills: number
  seed: number
  tell(event: string): void
  isOver(): Promise<boolean>
}

async function kill(victims: Victims, { kills, seed, tell, isOver }: Killing) {
  const random = seeded(seed)
  const events: Record<string, number> = {}
  let killsDuringRun = 0
  for (let at = 0; at < kills; at++) {
    await delay(300 + random.below(1_500))
    const victim = random.pick(victims.killable)
    if (!(await isOver().catch(() => false))) killsDuringRun++
    tell(`kill ${victim.name}`)
    events[victim.name] = (events[victim.name] ?? 0) + 1
    await victim.kill()
    await delay(random.below(1_000))
    await victim.restart()
  }
  return { events, killsDuringRun }
}
