import { hash } from 'node:crypto'
import {
  type Derived,
  equalDerived,
  type Micros,
  measureSpan,
  microsNow,
  NIL_UUID,
  rollUp,
  type Span,
  type SpanId,
  type Uuid,
} from '@spanhouse/model'
import {
  CONTENT_COLUMNS,
  DERIVED_COLUMNS,
  INSERT_COLUMNS,
  KEY_COLUMNS,
  LIFECYCLE_COLUMNS,
  type Lifecycle,
  OWN_COLUMNS,
  putAll,
} from './columns.ts'
import type { Engine } from './engine.ts'
import { RowBuffer } from './row-buffer.ts'
import { deleteRows, lookUpTraces, type RowKey, type RowUpdate, unsettledTraces, updateRows } from './statements.ts'
import { type StoredNode, TraceMemory, type TraceState, traceKey } from './trace-memory.ts'

/** One version of a span as it came off the stream. */
export interface IncomingSpan {
  project_id: Uuid
  user_id: Uuid
  /** Of two versions of a span the later accepted one is kept. */
  accepted_at: Micros
  span: Span
}

export interface WriteResult {
  /** Spans that were new. */
  inserted: number
  /** Spans that were stored in an earlier version. */
  replaced: number
  /** Spans that were stored already, the same or in a later version. */
  known: number
  /** Rows of other spans whose totals, trace type or place as head changed. */
  updated: number
}

export interface SpanWriterOptions {
  /** How many spans the skeletons in memory may have; about 400 bytes each. */
  memorySpansMax?: number
  /** How long a trace without a root is waited for before its earliest span stands for it. */
  rootWaitMs?: number
}

interface Insert {
  node: StoredNode
  /** Where the row stands in the batch's buffer: everything of it but what is derived. */
  from: number
  to: number
  /** Set when an earlier version is stored at the same place: it is changed instead. */
  inPlace?: { span: Span; lifecycle: Lifecycle }
}

/** What one batch changes in one trace; nothing of it counts before it is stored. */
interface Plan {
  key: string
  trace: TraceState
  nodes: Map<SpanId, StoredNode>
  inserts: Map<SpanId, Insert>
  removed: RowKey[]
}

interface Update {
  key: RowKey
  node: StoredNode
  derived: Derived
}

/**
 * Writes spans so that every row is exact: one row a span, with the totals of its whole trace as far as it has come.
 * There may be one writer for a trace at a time, which the stream's partitions see to.
 *
 * A batch goes through in four steps: the traces that are not in memory are looked up; what is new, changed or known
 * already is told apart by a hash of the content; every touched trace is summed up again; then outdated versions are
 * deleted, all new rows go in by one insert, and the rows of other spans whose totals changed are updated in place.
 * When it fails half-way, the memory forgets the traces, and the same batch written again finishes the work: what is
 * stored is found, and totals that are not yet as they should be are updated. So `write` is idempotent.
 */
export class SpanWriter {
  readonly #engine: Engine
  readonly #memory: TraceMemory
  readonly #rootWaitMicros: number
  /** Traces without a root, by key, with the time of their last arrival. */
  readonly #rootless = new Map<string, { project_id: Uuid; trace_id: string; at: Micros }>()

  #last: Promise<void> = Promise.resolve()
  /** A statement failed, and may for all we know still be at work. */
  #isUncertain = true
  /** The rows of the batch as far as they are known before the roll-up, and whole. Used again for each batch. */
  readonly #parts = new RowBuffer()
  readonly #rows = new RowBuffer()

  constructor(engine: Engine, { memorySpansMax = 500_000, rootWaitMs = 60_000 }: SpanWriterOptions = {}) {
    this.#engine = engine
    this.#memory = new TraceMemory(memorySpansMax)
    this.#rootWaitMicros = rootWaitMs * 1000
  }

  get memorySpans(): number {
    return this.#memory.spans
  }

  /** Resolves when everything is stored; rejects with what is worth trying again. */
  write(batch: readonly IncomingSpan[]): Promise<WriteResult> {
    return this.#alone(() => this.#write(batch))
  }

  async #write(batch: readonly IncomingSpan[]): Promise<WriteResult> {
    const now = microsNow()
    const byTrace = groupByTrace(batch)
    const states = await this.#load([...byTrace.values()].map(([first]) => first as IncomingSpan))
    const result: WriteResult = { inserted: 0, replaced: 0, known: 0, updated: 0 }
    this.#parts.truncate(0)
    const plans = [...byTrace].map(([key, incoming]) => {
      const plan = newPlan(key, states.get(key) as TraceState)
      for (const one of incoming) result[planSpan(plan, one, now, this.#parts)]++
      return plan
    })
    result.updated = await this.#carryOut(plans)
    for (const plan of plans) this.#awaitRoot(plan.key, plan.trace, now)
    return result
  }

  /**
   * Gives traces that have had no root for the waiting time their earliest span as head. To be called now and then.
   * Returns how many traces that were.
   */
  settleRootless(): Promise<number> {
    return this.#alone(() => this.#settleRootless())
  }

  async #settleRootless(): Promise<number> {
    const due = [...this.#rootless].filter(([, { at }]) => at < microsNow() - this.#rootWaitMicros).slice(0, 1000)
    if (due.length === 0) return 0
    const states = await this.#load(due.map(([, trace]) => trace))
    const plans = due.map(([key]) => {
      const trace = states.get(key) as TraceState
      return newPlan(key, { ...trace, isRootless: true })
    })
    await this.#carryOut(plans)
    for (const [key] of due) this.#rootless.delete(key)
    return due.length
  }

  /** Finds the traces that an earlier writer was still waiting for a root of. To be called once at start. */
  async recover(): Promise<void> {
    for (const trace of await unsettledTraces(this.#engine))
      this.#rootless.set(traceKey(trace.project_id, trace.trace_id), { ...trace, at: microsNow() })
  }

  /** One after the other: two changes planned from the same state of a trace would undo each other. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.then(
      () => {},
      () => {},
    )
    return result
  }

  /** The state of each trace, from memory or from the store; an empty one for traces that are new. */
  async #load(
    traces: readonly { project_id: Uuid; span?: Span; trace_id?: string }[],
  ): Promise<Map<string, TraceState>> {
    await this.#becomeCertain()
    const states = new Map<string, TraceState>()
    const missing: TraceState[] = []
    for (const { project_id, span, trace_id = span?.trace_id as string } of traces) {
      const key = traceKey(project_id, trace_id)
      const known = this.#memory.get(key)
      const state = known ?? { project_id, trace_id, nodes: new Map(), isRootless: false }
      if (!known) missing.push(state)
      states.set(key, state)
    }
    if (missing.length === 0) return states
    for (const row of await lookUpTraces(this.#engine, missing)) {
      const state = states.get(traceKey(row.project_id, row.trace_id))
      state?.nodes.set(row.node.span_id, row.node)
    }
    for (const state of missing) state.isRootless = hasHeadWithoutRoot(state.nodes)
    return states
  }

  /** What is looked up must not change afterwards by the hand of a statement that was given up, or of a dead writer. */
  async #becomeCertain(): Promise<void> {
    if (!this.#isUncertain) return
    await this.#engine.endWrites()
    this.#isUncertain = false
  }

  async #carryOut(plans: readonly Plan[]): Promise<number> {
    const derived = plans.map(plan => rollUp(plan.nodes, plan.trace.isRootless))
    const updates = plans.flatMap((plan, index) => changesOf(plan, derived[index] as Map<SpanId, Derived>))
    try {
      await deleteRows(
        this.#engine,
        plans.flatMap(plan => plan.removed),
      )
      await this.#insert(plans, derived)
      await replaceInPlace(this.#engine, plans, derived)
      await updateRows(this.#engine, DERIVED_COLUMNS, updates.map(toRowUpdate))
    } catch (error) {
      for (const plan of plans) this.#memory.forget(plan.key)
      this.#isUncertain = true
      throw error
    }
    for (const { node, derived } of updates) node.derived = derived
    for (const [index, plan] of plans.entries()) this.#remember(plan, derived[index] as Map<SpanId, Derived>)
    return updates.length
  }

  async #insert(plans: readonly Plan[], derived: readonly Map<SpanId, Derived>[]): Promise<void> {
    this.#rows.truncate(0)
    for (const [index, plan] of plans.entries()) {
      for (const [span_id, { from, to, inPlace }] of plan.inserts) {
        if (inPlace) continue
        this.#rows.append(this.#parts.slice(from, to))
        putAll(this.#rows, DERIVED_COLUMNS, derived[index]?.get(span_id) as Derived)
      }
    }
    if (this.#rows.length > 0)
      await this.#engine.insert('spans', INSERT_COLUMNS, this.#rows.slice(0, this.#rows.length))
  }

  #remember(plan: Plan, derived: ReadonlyMap<SpanId, Derived>): void {
    for (const [span_id, { node }] of plan.inserts) node.derived = derived.get(span_id) as Derived
    plan.trace.nodes = plan.nodes
    this.#memory.put(plan.key, plan.trace)
  }

  #awaitRoot(key: string, { project_id, trace_id, nodes, isRootless }: TraceState, now: Micros): void {
    if (isRootless || hasRoot(nodes)) this.#rootless.delete(key)
    else this.#rootless.set(key, { project_id, trace_id, at: now })
  }
}

function groupByTrace(batch: readonly IncomingSpan[]): Map<string, IncomingSpan[]> {
  const groups = new Map<string, IncomingSpan[]>()
  for (const incoming of batch) {
    const key = traceKey(incoming.project_id, incoming.span.trace_id)
    const group = groups.get(key)
    if (group) group.push(incoming)
    else groups.set(key, [incoming])
  }
  return groups
}

const newPlan = (key: string, trace: TraceState): Plan => ({
  key,
  trace,
  nodes: new Map(trace.nodes),
  inserts: new Map(),
  removed: [],
})

/** Decides what becomes of one span, and puts its row, if it gets one, behind the others of the batch. */
function planSpan(
  plan: Plan,
  { span, accepted_at, project_id, user_id }: IncomingSpan,
  now: Micros,
  parts: RowBuffer,
): 'inserted' | 'replaced' | 'known' {
  const from = parts.length
  putAll(parts, CONTENT_COLUMNS, span)
  const content_hash = hash('sha1', parts.slice(from, parts.length), 'hex').slice(0, 16)
  const present = plan.nodes.get(span.span_id)
  if (present && isKnown(present, content_hash, accepted_at)) {
    parts.truncate(from)
    return 'known'
  }
  const { created_at, created_by_id } = present ?? { created_at: now, created_by_id: user_id }
  const node = { ...measureSpan(span), derived: NOT_DERIVED, content_hash, accepted_at, created_at, created_by_id }
  putAll(parts, OWN_COLUMNS, node.own)
  const [updated_at, updated_by_id] = present ? [now, user_id] : [0, NIL_UUID]
  const versions = { created_at, created_by_id, updated_at, updated_by_id, accepted_at, content_hash }
  const lifecycle = { project_id, ...versions }
  putAll(parts, LIFECYCLE_COLUMNS, lifecycle)
  const insert: Insert = { node, from, to: parts.length }
  const stored = plan.trace.nodes.get(span.span_id)
  // Of several versions in one batch the last decides.
  plan.removed = plan.removed.filter(key => key.span_id !== span.span_id)
  if (stored?.start_time === span.start_time) insert.inPlace = { span, lifecycle }
  // The start time is part of the key: the row has to move.
  else if (stored)
    plan.removed.push({ project_id, trace_id: span.trace_id, span_id: span.span_id, start_time: stored.start_time })
  plan.nodes.set(span.span_id, node)
  plan.inserts.set(span.span_id, insert)
  return present ? 'replaced' : 'inserted'
}

const isChangeable = ({ name }: { name: string }): boolean => !KEY_COLUMNS.includes(name)
const CHANGED_CONTENT = CONTENT_COLUMNS.filter(isChangeable)
const CHANGED_LIFECYCLE = LIFECYCLE_COLUMNS.filter(isChangeable)
const CHANGED = [...CHANGED_CONTENT, ...OWN_COLUMNS, ...CHANGED_LIFECYCLE, ...DERIVED_COLUMNS]

/** Later versions of stored spans that start when they did: nobody finds neither of the two, or both. */
function replaceInPlace(
  engine: Engine,
  plans: readonly Plan[],
  derived: readonly ReadonlyMap<SpanId, Derived>[],
): Promise<void> {
  const updates: RowUpdate[] = []
  for (const [index, { trace, inserts }] of plans.entries()) {
    const { project_id, trace_id } = trace
    for (const [span_id, { node, inPlace }] of inserts) {
      if (!inPlace) continue
      const values = [
        ...CHANGED_CONTENT.map(column => column.text(inPlace.span)),
        ...OWN_COLUMNS.map(column => column.text(node.own)),
        ...CHANGED_LIFECYCLE.map(column => column.text(inPlace.lifecycle)),
        ...DERIVED_COLUMNS.map(column => column.text(derived[index]?.get(span_id) as Derived)),
      ]
      updates.push({ key: { project_id, trace_id, span_id, start_time: node.start_time }, values })
    }
  }
  return updateRows(engine, CHANGED, updates)
}

const toRowUpdate = ({ key, derived }: Update): RowUpdate => ({
  key,
  values: DERIVED_COLUMNS.map(column => column.text(derived)),
})

/** The same content, or an earlier version than the one that is there. */
function isKnown(present: StoredNode, content_hash: string, accepted_at: Micros): boolean {
  if (present.content_hash !== content_hash) return present.accepted_at > accepted_at
  // Sent again after another version that may still be on its way: that one is older than this.
  if (accepted_at > present.accepted_at) present.accepted_at = accepted_at
  return true
}

/** Stands in a node until its batch is stored. */
const NOT_DERIVED: Derived = { cumulative: [], trace_type: 'unknown', is_trace_head: false }

/** The rows that are stored with other totals than they should have now. */
function changesOf(plan: Plan, derived: ReadonlyMap<SpanId, Derived>): Update[] {
  const updates: Update[] = []
  for (const [span_id, node] of plan.nodes) {
    const now = derived.get(span_id) as Derived
    if (plan.inserts.has(span_id) || equalDerived(node.derived, now)) continue
    const { project_id, trace_id } = plan.trace
    updates.push({ key: { project_id, trace_id, span_id, start_time: node.start_time }, node, derived: now })
  }
  return updates
}

const hasRoot = (nodes: ReadonlyMap<SpanId, StoredNode>): boolean => {
  for (const node of nodes.values()) if (node.parent_id === null) return true
  return false
}

function hasHeadWithoutRoot(nodes: ReadonlyMap<SpanId, StoredNode>): boolean {
  if (hasRoot(nodes)) return false
  for (const node of nodes.values()) if (node.derived.is_trace_head) return true
  return false
}
