import { newId } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import {
  addScenarios,
  createQueues,
  createRuns,
  findQueueProgress,
  listWorklist,
  newQueue,
  newResult,
  newRun,
  type QueueProgress,
  type QueueRow,
  type RunRow,
  type Scope,
  writeResults,
} from '../index.ts'
import { newScope } from '../scope.testing.ts'

const STEPS = ['first', 'second']
const steps = STEPS.map(key => ({ key, type: 'annotation', origin: 'human', references: {} }))

const random = (max: number): number => Math.floor(Math.random() * max)
const some = <T>(all: readonly T[], share: number): T[] => all.filter(() => Math.random() < share)

/** A run with cells of people, and what is in them. */
interface Annotated {
  run: RunRow
  scenarios: string[]
  /** Cells that are written, as scenario, step and repeat. */
  written: Set<string>
  repeats: number
}

async function newAnnotated(scope: Scope): Promise<Annotated> {
  const repeats = 1 + random(3)
  const [run] = (await createRuns(scope, [validate(newRun, { data: { steps, repeats } }, 'body')])) as [RunRow]
  const made = await addScenarios(scope, run.id, { count: random(60), timestamp: undefined })
  const scenarios = (made ?? []).map(({ id }) => id)
  const cells = scenarios.flatMap(scenario_id =>
    STEPS.flatMap(step_key =>
      Array.from({ length: repeats }, (_, repeat_idx) => ({ run_id: run.id, scenario_id, step_key, repeat_idx })),
    ),
  )
  const stored = some(cells, 0.9).map(cell => ({ ...cell, status: Math.random() < 0.8 ? 'success' : 'pending' }))
  await writeResults(
    scope,
    stored.map(cell => validate(newResult, cell, 'body')),
  )
  const done = stored.filter(({ status }) => status === 'success')
  const written = new Set(
    done.map(({ scenario_id, step_key, repeat_idx }) => [scenario_id, step_key, repeat_idx].join()),
  )
  return { run, scenarios, written, repeats }
}

/** What a queue's lists and counts are computed from: each lane's assignee of each scenario. */
function dealt({ flags, data }: QueueRow, scenarios: readonly string[]): Map<string, string>[] {
  const buckets = flags.is_sequential ? (data.batch_size ?? 120) : 120
  return (data.user_ids ?? []).map(lane => {
    const assignees = new Map<string, string>()
    if (lane.length === 0) return assignees
    const [size, larger] = [Math.floor(buckets / lane.length), buckets % lane.length]
    const owners = lane.flatMap((user, n) => Array(n < larger ? size + 1 : size).fill(user) as string[])
    for (const [position, id] of scenarios.entries()) {
      const bucket = flags.is_sequential
        ? ((data.batch_offset ?? 0) + position) % buckets
        : Number(BigInt(`0x${id.replaceAll('-', '')}`) % 120n)
      assignees.set(id, owners[bucket] as string)
    }
    return assignees
  })
}

onEachDatabase('queues', postgres => {
  test('pages and progress are what the assignment says, however a queue deals', async () => {
    const scope = await newScope(postgres())
    for (let round = 0; round < 40; round++) {
      const annotated = await newAnnotated(scope)
      const people = Array.from({ length: 1 + random(4) }, newId)
      const user_ids = Array.from({ length: random(4) }, () => some(people, 0.8))
      const scenario_ids = Math.random() < 0.3 ? some(annotated.scenarios, 0.7) : undefined
      const step_keys = Math.random() < 0.3 ? [STEPS[0]] : undefined
      const batch = { batch_size: 1 + random(10), batch_offset: random(20) }
      const is_sequential = Math.random() < 0.5
      const data = { user_ids, scenario_ids, step_keys, ...(is_sequential && batch) }
      const body = { run_id: annotated.run.id, flags: { is_sequential }, data }
      const [queue] = (await createQueues(scope, [validate(newQueue, body, 'body')])) as [QueueRow]
      await expectPages(scope, queue, { annotated, users: some(people, 0.5) })
      await expectProgress(scope, queue, annotated)
    }
  })

  async function expectPages(
    scope: Scope,
    queue: QueueRow,
    { annotated, users }: { annotated: Annotated; users: string[] },
  ): Promise<void> {
    const isSubset = Math.random() < 0.5
    const own = isSubset ? (queue.data.scenario_ids ?? annotated.scenarios) : annotated.scenarios
    const scenarios = annotated.scenarios.filter(id => own.includes(id))
    const lanes = dealt(queue, scenarios)
    const isAsked = users.length > 0 && lanes.length > 0
    const wanted = isAsked
      ? [...new Set(lanes.flatMap(lane => scenarios.filter(id => users.includes(lane.get(id) ?? ''))))]
      : scenarios
    const order = Math.random() < 0.5 ? ('ascending' as const) : ('descending' as const)
    const listed: string[] = []
    for (let next: string | undefined; ; ) {
      const windowing = { limit: 1 + random(20), order, next }
      const page = await listWorklist(scope, queue, { users, isSubset, windowing })
      for await (const { id } of page.rows) listed.push(id)
      if (!page.windowing) break
      next = page.windowing.next as string
    }
    expect(listed).toEqual(order === 'ascending' ? wanted : wanted.toReversed())
  }

  async function expectProgress(scope: Scope, queue: QueueRow, { run, scenarios, ...of }: Annotated): Promise<void> {
    const own = queue.data.scenario_ids ?? scenarios
    const counted = scenarios.filter(id => own.includes(id))
    const lanes = dealt(queue, counted).slice(0, of.repeats)
    const keys = queue.data.step_keys ?? STEPS
    const isDone = (id: string, repeat_idx: number): boolean =>
      keys.every(key => of.written.has([id, key, repeat_idx].join()))
    const doneOf = (ids: readonly string[], repeat_idx: number) => ({
      scenarios: ids.length,
      done: ids.filter(id => isDone(id, repeat_idx)).length,
    })
    const withPeople = lanes.flatMap((lane, repeat_idx) =>
      [...new Set(queue.data.user_ids?.[repeat_idx])].map(user_id => ({
        repeat_idx,
        user_id,
        ...doneOf(
          counted.filter(id => lane.get(id) === user_id),
          repeat_idx,
        ),
      })),
    )
    const repeats =
      lanes.length > 0 ? lanes.flatMap(({ size }, n) => (size > 0 ? [n] : [])) : [...Array(of.repeats).keys()]
    const [progress] = (await findQueueProgress(scope, [{ queue, run }])) as [QueueProgress]
    expect(progress).toMatchObject({
      scenarios: repeats.length > 0 ? counted.length : 0,
      done: repeats.length > 0 ? counted.filter(id => repeats.every(n => isDone(id, n))).length : 0,
    })
    const shown = (share: { repeat_idx: number; user_id?: string }): string => `${share.repeat_idx} ${share.user_id}`
    const shares = new Map(progress.assignees.map(share => [shown(share), share]))
    const expected = lanes.length > 0 ? withPeople : repeats.map(n => ({ repeat_idx: n, ...doneOf(counted, n) }))
    // Who has no bucket, because there are fewer than people, is not listed.
    for (const share of expected) if (share.scenarios > 0) expect(shares.get(shown(share))).toEqual(share)
    expect([...shares.values()].filter(share => share.scenarios > 0)).toHaveLength(
      expected.filter(share => share.scenarios > 0).length,
    )
  }
})
