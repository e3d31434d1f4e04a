import { ACTORS, type Derived, type Micros, microsNow, NIL_UUID, type TraceId } from '@spanhouse/model'
import { COLUMNS, DERIVED_COLUMNS, KEY_COLUMNS, type Lifecycle } from '@spanhouse/query'
import { RowBuffer } from '../bytes/row-buffer.ts'
import { INSERT_COLUMNS, putAll, textsOf } from '../bytes/row-columns.ts'
import type { BatchedSpan, SpanBatch } from '../bytes/span-batch.ts'
import { catchUp } from '../engine/catch-up.ts'
import type { Engine } from '../engine/engine.ts'
import { noteDeletions, type PlannedDeletion } from './deletions.ts'
import { requireRun, WRITTEN_TABLES } from './fence.ts'
import { findTraces } from './find-traces.ts'
import { KnownTraces } from './known-traces.ts'
import {
  type DerivedChange,
  groupByTrace,
  type Insert,
  newPlan,
  type Plan,
  planDeletions,
  planSpan,
  rowKeyOf,
} from './plan.ts'
import { deleteRows, type RowKey, type RowUpdate, unsettledTraces, updateRows } from './statements.ts'
import {
  type KeptTrace,
  keepTrace,
  knownUntil,
  newTotals,
  TraceMemory,
  type TracePlace,
  type TraceState,
  traceKey,
} from './trace-memory.ts'

export interface WriteResult {
  /** New spans. */
  inserted: number
  /** Spans of which an earlier version was stored. */
  replaced: number
  /** Spans that were already stored, in the same or a later version. */
  known: number
  /** Spans that were accepted before their trace was deleted but arrived afterwards. */
  deleted: number
  /** Rows of other spans whose totals, trace type or head flag changed. */
  updated: number
}

export interface SpanWriterOptions {
  /**
   * The maximum number of spans in memory, at about 100 bytes each; 280 in a large trace, which is kept with its
   * totals.
   */
  memorySpansMax?: number
  /** How long to wait for the root of a trace before its earliest span becomes the head. */
  rootWaitMs?: number
}

/** Traces that get a head with one change: a batch that arrives meanwhile waits for it. */
const ROOTLESS_AT_ONCE = 1_000

/**
 * Writes spans so that every row is exact: one row per span, with the totals of its whole trace as received so far. A
 * trace may have only one writer at a time, which the stream's partitions ensure.
 *
 * A batch is written in four steps. The traces that are not in memory are looked up. A hash of the content tells new,
 * changed and known spans apart. They change the totals of their traces. Then outdated versions are deleted, all new
 * rows are inserted with one statement, and the rows of other spans whose totals changed are updated in place. A
 * deletion of a trace is recorded before its rows are deleted, so that nothing older of it is stored again, and once
 * more when it is complete. If a batch fails half-way, the traces are removed from memory, and writing the same batch
 * again completes the work: stored spans are found, and totals that are not yet right are updated. So `write` is
 * idempotent.
 *
 * In a cluster a trace is on one shard for ever. The writer is given all shards that may have traces of its partitions:
 * it looks a trace up on each, and puts new ones on the last.
 */
export class SpanWriter {
  readonly #shards: readonly Engine[]
  readonly #memory: TraceMemory
  readonly #rootWaitMicros: number
  /** Traces without a root, by key, with the time of their last arrival. */
  readonly #rootless = new Map<string, TracePlace & { at: Micros }>()

  /** By shard. Null: unknown, so all traces are looked up. A trace is added before its first row is sent. */
  #known: (KnownTraces | null)[]

  #last: Promise<void> = Promise.resolve()
  /** Set if a statement failed and may still be running. */
  #isUncertain = true

  /** One engine, or those of the shards that may have traces, the one for new traces last; all with the same run. */
  constructor(
    engines: Engine | readonly Engine[],
    { memorySpansMax = 100_000, rootWaitMs = 60_000 }: SpanWriterOptions = {},
  ) {
    this.#shards = [engines].flat()
    this.#known = this.#shards.map(() => null)
    this.#memory = new TraceMemory(memorySpansMax)
    this.#rootWaitMicros = rootWaitMs * 1000
  }

  get memorySpans(): number {
    return this.#memory.spans
  }

  /**
   * Resolves when everything is stored, on most servers of each shard, and the batch can be reused; rejects if the
   * write should be retried.
   */
  write(batch: SpanBatch): Promise<WriteResult> {
    return this.#alone(() => this.#write(batch))
  }

  async #write(batch: SpanBatch): Promise<WriteResult> {
    const groups = groupByTrace(batch)
    const states = await this.#load(groups.map(({ place }) => place))
    const result: WriteResult = { inserted: 0, replaced: 0, known: 0, deleted: 0, updated: 0 }
    const works = this.#shards.map(newWork)
    for (const { key, place, spans, deletions } of groups) {
      const plan = newPlan(key, states.get(key) ?? this.#newTrace(place))
      const work = works[plan.trace.shard] as Work
      const incoming = spans.map(span => ({ span, node: batch.nodeOf(span) }))
      if (deletions.length > 0) planDeletions(plan, deletions, incoming)
      for (const one of incoming) result[planSpan(plan, one)]++
      this.#addTrace(plan, work, batch)
    }
    await this.#carryOut(works, batch)
    for (const { now, traces, changes } of works) {
      result.updated += changes.length
      for (const { place, key, isWaiting } of traces)
        if (isWaiting) this.#rootless.set(key, { ...place, at: now })
        else this.#rootless.delete(key)
    }
    return result
  }

  /**
   * Makes the earliest span the head of each trace that has had no root for the waiting time. Must be called
   * periodically. Returns the number of traces. Some at a time, and batches are written in between: in a system whose
   * roots are all sent elsewhere, every trace comes here. When the signal aborts, the others wait for the next call.
   */
  async settleRootless(signal?: AbortSignal): Promise<number> {
    const due = [...this.#rootless].filter(([, { at }]) => this.#isDue(at)).map(([key]) => key)
    let settled = 0
    for (let from = 0; from < due.length && !signal?.aborted; from += ROOTLESS_AT_ONCE)
      settled += await this.#alone(() => this.#settleSome(due.slice(from, from + ROOTLESS_AT_ONCE)))
    return settled
  }

  #isDue(at: Micros): boolean {
    return at < microsNow() - this.#rootWaitMicros
  }

  async #settleSome(keys: readonly string[]): Promise<number> {
    const due = keys.flatMap((key): [string, TracePlace][] => {
      const trace = this.#rootless.get(key)
      // Batches written since may have brought its root, or another of its spans.
      return trace && this.#isDue(trace.at) ? [[key, trace]] : []
    })
    if (due.length === 0) return 0
    const states = await this.#load(due.map(([, trace]) => trace))
    const works = this.#shards.map(newWork)
    for (const [key, place] of due) {
      const trace = { ...(states.get(key) ?? this.#newTrace(place)), isRootless: true }
      this.#addTrace(newPlan(key, trace), works[trace.shard] as Work)
    }
    await this.#carryOut(works)
    for (const [key] of due) this.#rootless.delete(key)
    return due.length
  }

  /**
   * Loads which traces are stored, so that new ones need no look-up, and finds those whose root an earlier writer was
   * still waiting for, limited to the partitions of this writer. Must be called once, before the first write.
   */
  async recover(isMine: (trace_id: TraceId) => boolean = () => true): Promise<void> {
    await this.#becomeCertain()
    this.#known = await Promise.all(this.#shards.map(engine => KnownTraces.load(engine)))
    for (const trace of (await Promise.all(this.#shards.map(unsettledTraces))).flat())
      if (isMine(trace.trace_id))
        this.#rootless.set(traceKey(trace.project_id, trace.trace_id), { ...trace, at: microsNow() })
  }

  /** Runs changes one at a time: two changes planned from the same state of a trace would overwrite each other. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.then(
      () => {},
      () => {},
    )
    return result
  }

  /** The states of traces, from memory or from the store, by key. Traces that are known to be new have none. */
  async #load(traces: readonly TracePlace[]): Promise<Map<string, TraceState>> {
    await this.#becomeCertain()
    const states = new Map<string, TraceState>()
    const missing = this.#shards.map((): TracePlace[] => [])
    for (const place of traces) {
      const key = traceKey(place.project_id, place.trace_id)
      const kept = this.#memory.get(key, place)
      if (kept) states.set(key, kept)
      else for (const shard of this.#shardsThatMayHave(place.trace_id)) missing[shard]?.push(place)
    }
    const found = await Promise.all(this.#shards.map((engine, shard) => findTraces(engine, missing[shard] ?? [])))
    for (const [shard, traces] of found.entries())
      for (const [key, trace] of traces) states.set(key, { ...trace, shard })
    for (const place of traces)
      if (!states.has(traceKey(place.project_id, place.trace_id))) this.#known.at(-1)?.add(place.trace_id)
    return states
  }

  #shardsThatMayHave(trace_id: TraceId): number[] {
    return this.#known.flatMap((known, shard) => (known?.has(trace_id) === false ? [] : shard))
  }

  /** A trace that is not stored yet. */
  #newTrace({ project_id, trace_id }: TracePlace): TraceState {
    const now = microsNow()
    return {
      project_id,
      trace_id,
      totals: newTotals(),
      isRootless: false,
      deleted_at: 0,
      shard: this.#shards.length - 1,
      known_until: knownUntil(now, now),
      expired: [],
    }
  }

  /** The state looked up must not change later through an abandoned statement or a dead writer. */
  async #becomeCertain(): Promise<void> {
    if (!this.#isUncertain) return
    await Promise.all(
      this.#shards.map(async engine => {
        await engine.endWrites()
        await requireRun(engine)
      }),
    )
    this.#isUncertain = false
  }

  /**
   * Settles the totals of the trace and adds the changes that follow. From then on it is kept as bytes: objects that
   * wait for the store survive several collections.
   */
  #addTrace(plan: Plan, work: Work, batch?: SpanBatch): void {
    const { key, trace } = plan
    const { project_id, trace_id, isRootless, totals } = trace
    for (const { node, derived, before } of totals.settle(isRootless)) {
      const insert = plan.inserts.get(node.span_id)
      if (batch && insert) this.#addRow(insert, derived, work, batch)
      else work.changes.push({ key: rowKeyOf(plan, node), derived, actors: newActors(derived, before) })
    }
    for (const deletion of plan.deletions) work.deletions.push(deletion)
    for (const row of plan.deleted) work.removed.push(row)
    for (const row of plan.removed.values()) work.removed.push(row)
    work.traces.push({
      key,
      place: { project_id, trace_id },
      isWaiting: !isRootless && totals.size > 0 && !totals.hasRoot,
      kept: totals.size > 0 ? keepTrace(trace) : undefined,
    })
  }

  /**
   * New rows are inserted with one statement; rows of stored spans with an unchanged start time are updated in place.
   */
  #addRow(insert: Insert, derived: Derived, work: Work, batch: SpanBatch): void {
    const { span, node, isInPlace } = insert
    const lifecycle = lifecycleOf(insert, work.now, this.#shards[0]?.run)
    batch.complete(span, { lifecycle, derived, actors: newActors(derived, node) })
    if (!isInPlace) work.added.push(span)
    else {
      const { span_id, start_time } = node
      const key = { project_id: span.sender.project_id, trace_id: span.trace_id, span_id, start_time }
      work.replacements.push({ key, values: changedTexts(batch.rowOf(span)) })
    }
  }

  /** If one of the shards fails, nothing is known of any: the others may have completed their part. */
  async #carryOut(works: readonly Work[], batch?: SpanBatch): Promise<void> {
    const traces = works.flatMap(work => work.traces)
    const ended = await Promise.allSettled(
      works.map((work, shard) => carryOut(this.#shards[shard] as Engine, work, batch)),
    )
    const failed = ended.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      for (const { key } of traces) this.#memory.forget(key)
      this.#isUncertain = true
      throw failed.reason
    }
    for (const { key, kept } of traces)
      if (kept) this.#memory.put(key, kept)
      else this.#memory.forget(key)
  }
}

async function carryOut(engine: Engine, work: Work, batch: SpanBatch | undefined): Promise<void> {
  await noteDeletions(engine, work.deletions, false)
  await deleteRows(engine, work.removed)
  if (batch && work.added.length > 0) await engine.insert('spans', INSERT_COLUMNS, batch.rowsOf(work.added))
  await updateRows(engine, CHANGED_COLUMNS, work.replacements)
  for (const [names, changes] of Map.groupBy(work.changes, ({ actors }) => Object.keys(actors).join())) {
    const columns = [...DERIVED_COLUMNS, ...ACTORS.filter(name => names.includes(name)).map(name => ({ name }))]
    await updateRows(engine, columns, changes.map(toRowUpdate))
  }
  await noteDeletions(engine, work.deletions, true)
  await catchUp(engine, { tables: WRITTEN_TABLES, servers: 'most' })
}

/**
 * The changes for all traces of a batch on one shard, in the order in which they are carried out. None takes effect
 * before.
 */
interface Work {
  now: Micros
  deletions: PlannedDeletion[]
  removed: RowKey[]
  added: BatchedSpan[]
  replacements: RowUpdate[]
  /** Updates of the rows of other spans. */
  changes: DerivedChange[]
  /** The new states of traces; undefined if nothing is left of one. Waiting: for a root. */
  traces: { key: string; place: TracePlace; isWaiting: boolean; kept: KeptTrace | undefined }[]
}

const newWork = (): Work => ({
  now: microsNow(),
  deletions: [],
  removed: [],
  added: [],
  replacements: [],
  changes: [],
  traces: [],
})

/** What a row is to show as its session and its user, where it has something else. */
function newActors(derived: Actors, stored: Actors | undefined): Record<string, string> {
  const changed = ACTORS.filter(name => derived[name] !== null && derived[name] !== stored?.[name])
  return Object.fromEntries(changed.map(name => [name, derived[name] as string]))
}

type Actors = Pick<Derived, (typeof ACTORS)[number]>

function toRowUpdate({ key, derived, actors }: DerivedChange): RowUpdate {
  const row = new RowBuffer(128)
  putAll(row, DERIVED_COLUMNS, derived)
  return { key, values: [...textsOf(row.slice(0, row.length), DERIVED_COLUMNS), ...Object.values(actors)] }
}

function lifecycleOf({ span: { sender }, node, isChange }: Insert, now: Micros, writer_run = 0): Lifecycle {
  const { accepted_at, created_at, created_by_id } = node.version
  const updated_at = isChange ? now : 0
  const updated_by_id = isChange ? sender.user_id : NIL_UUID
  const { project_id } = sender
  const { version_hash } = node
  return { project_id, created_at, created_by_id, updated_at, updated_by_id, accepted_at, version_hash, writer_run }
}

/** Readers never see neither or both of two versions: the later replaces the earlier in all columns but the key. */
const isChangeable = (column: { name: string }): boolean => !KEY_COLUMNS.includes(column.name)
const CHANGED_COLUMNS = COLUMNS.filter(isChangeable)

const changedTexts = (row: Buffer): string[] =>
  textsOf(row, COLUMNS).filter((_, at) => isChangeable(COLUMNS[at] as { name: string }))
