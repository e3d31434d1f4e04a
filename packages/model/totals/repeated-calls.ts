import type { SpanId } from '../identifiers.ts'
import { COMPLETION, haveEqualTokens, type ModelCall, mayBeSameModel, PROMPT } from './model-call.ts'
import type { TraceNode } from './trace-node.ts'

/** With how many calls of the same tokens, the latest that started before it, a call is compared. */
const COMPARED_CALLS_MAX = 16
/** Over how many levels two spans that record the same call may be apart from their common ancestor. */
export const COMPARED_LEVELS_MAX = 16

interface RecordedCall extends TraceNode {
  readonly call: ModelCall
}

/** The spans of a trace by id, in their present version. */
interface Spans {
  get(span_id: SpanId): TraceNode | undefined
  values(): Iterable<TraceNode>
}

/** The calls with the same tokens. */
interface Group {
  /** In the order of {@link byStartThenEnd}. */
  readonly calls: SpanId[]
  /** Not yet among them. */
  readonly added: Set<SpanId>
  /** Those of them about which must be decided again, and with them about later ones that depend on them. */
  readonly undecided: Set<SpanId>
}

/**
 * The calls that another span records, too, neither of them inside the other: a framework's span and that of the
 * instrumented library that it uses, whose parent is the span that was active. That can be told only if
 *
 * - two different instrumentations recorded them (both scopes are named),
 * - they have the same tokens, prompt tokens among them, and may be of the same model,
 * - one started and ended while the other one ran, and
 * - the parent of one of them is above the other one as well, at most {@link COMPARED_LEVELS_MAX} levels up.
 *
 * The one that ran within the other is the repeated one, and a span repeats only one of each instrumentation. Each is
 * compared with the {@link COMPARED_CALLS_MAX} last ones that started before it: further calls with the same tokens run
 * at the same time only where many calls do, and there a pair cannot be told from a coincidence.
 *
 * Takes O(log calls) for each change, plus the calls with the same tokens that start later, until as many of them as
 * can depend on the change are as they were. Nothing is kept while all calls are of one instrumentation.
 */
export class RepeatedCalls {
  readonly #spans: Spans
  readonly #groups = new Map<string, Group>()
  readonly #undecided = new Set<Group>()
  /** By repeated call the one that it repeats. */
  readonly #outers = new Map<SpanId, SpanId>()
  #changed = new Set<SpanId>()
  #source: string | undefined
  #isActive = false

  constructor(spans: Spans) {
    this.#spans = spans
  }

  /** Whether calls of several instrumentations came. */
  get isActive(): boolean {
    return this.#isActive
  }

  has(span_id: SpanId): boolean {
    return this.#outers.has(span_id)
  }

  /** A span that the trace has now. */
  add(node: TraceNode): void {
    if (!isRecorded(node)) return
    if (this.#isActive) this.#await(node)
    else if (this.#source === undefined) this.#source = node.call.source
    else if (this.#source !== node.call.source) {
      this.#isActive = true
      for (const one of this.#spans.values()) if (isRecorded(one)) this.#await(one)
    }
  }

  /** A span that the trace still has. */
  remove(node: TraceNode): void {
    if (!this.#isActive || !isRecorded(node)) return
    const group = this.#groupOf(node)
    if (group.added.delete(node.span_id)) return
    const at = this.#positionOf(group, node)
    group.calls.splice(at, 1)
    group.undecided.delete(node.span_id)
    const next = group.calls[at]
    if (next !== undefined) this.#decideAgain(group, next)
    if (this.#outers.delete(node.span_id)) this.#changed.add(node.span_id)
  }

  /** Something changed above a span. */
  move(node: TraceNode): void {
    if (!this.#isActive || !isRecorded(node)) return
    const group = this.#groupOf(node)
    if (!group.added.has(node.span_id)) this.#decideAgain(group, node.span_id)
  }

  /** Decides about all that changed, and returns the calls for which the decision may be another one. */
  settle(): ReadonlySet<SpanId> {
    for (const group of this.#undecided) {
      this.#place(group)
      this.#decide(group)
    }
    this.#undecided.clear()
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  #await(node: RecordedCall): void {
    const group = this.#groupOf(node)
    group.added.add(node.span_id)
    this.#undecided.add(group)
  }

  #groupOf({ own }: RecordedCall): Group {
    const tokens = `${own[PROMPT]} ${own[COMPLETION]}`
    let group = this.#groups.get(tokens)
    if (!group) {
      group = { calls: [], added: new Set(), undecided: new Set() }
      this.#groups.set(tokens, group)
    }
    return group
  }

  #decideAgain(group: Group, span_id: SpanId): void {
    group.undecided.add(span_id)
    this.#undecided.add(group)
  }

  /** The position of the first call that does not come before this one. */
  #positionOf({ calls }: Group, node: RecordedCall): number {
    let [from, to] = [0, calls.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (byStartThenEnd(this.#callOf(calls[middle] as SpanId), node) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  #callOf(span_id: SpanId): RecordedCall {
    return this.#spans.get(span_id) as RecordedCall
  }

  /** Puts the added calls in their places; of the others only those are read that tell where. */
  #place(group: Group): void {
    const { calls } = group
    const added = [...group.added].map(id => this.#callOf(id)).sort(byStartThenEnd)
    const places = added.map(node => this.#positionOf(group, node))
    const [first] = places
    if (first === undefined) return
    const later = calls.splice(first)
    let moved = 0
    for (const [index, { span_id }] of added.entries()) {
      for (; first + moved < (places[index] as number); moved++) calls.push(later[moved] as SpanId)
      calls.push(span_id)
      group.undecided.add(span_id)
    }
    for (; moved < later.length; moved++) calls.push(later[moved] as SpanId)
    group.added.clear()
  }

  #decide(group: Group): void {
    const { calls, undecided } = group
    const due = [...undecided].map(id => this.#positionOf(group, this.#callOf(id))).sort((one, other) => one - other)
    let done = 0
    while (done < due.length) {
      let at = due[done] as number
      const partners = this.#partnersBefore(calls, at)
      for (let unchanged = 0; at < calls.length && unchanged < UNCHANGED_MIN; at++) {
        const isSame = this.#decideOne(calls, at, partners)
        const isDue = due[done] === at
        if (isDue) done++
        unchanged = isSame && !isDue ? unchanged + 1 : 0
      }
    }
    undecided.clear()
  }

  /** Returns whether the decision is as it was. */
  #decideOne(calls: readonly SpanId[], at: number, partners: Map<SpanId, Set<string>>): boolean {
    const inner = this.#callOf(calls[at] as SpanId)
    const outer = this.#outerOf(calls, at, partners)?.span_id
    if (outer !== undefined) addPartner(partners, outer, inner)
    if (this.#outers.get(inner.span_id) === outer) return true
    this.#changed.add(inner.span_id)
    if (outer === undefined) this.#outers.delete(inner.span_id)
    else this.#outers.set(inner.span_id, outer)
    return false
  }

  /** By call the instrumentations whose calls repeat it, as far as a call at this position can depend on it. */
  #partnersBefore(calls: readonly SpanId[], at: number): Map<SpanId, Set<string>> {
    const partners = new Map<SpanId, Set<string>>()
    for (const id of calls.slice(Math.max(0, at - COMPARED_CALLS_MAX), at)) {
      const outer = this.#outers.get(id)
      if (outer !== undefined) addPartner(partners, outer, this.#callOf(id))
    }
    return partners
  }

  #outerOf(calls: readonly SpanId[], at: number, partners: Map<SpanId, Set<string>>): RecordedCall | undefined {
    const inner = this.#callOf(calls[at] as SpanId)
    for (let before = at - 1; before >= Math.max(0, at - COMPARED_CALLS_MAX); before--) {
      const one = this.#callOf(calls[before] as SpanId)
      if (this.has(one.span_id) || !isRecordedBy(one, inner, partners)) continue
      if (isBeside(one, inner, this.#spans)) return one
    }
    return undefined
  }
}

/**
 * A decision depends on those about the calls that it compares with, and on which later ones repeat these: if so many
 * calls, one after the other, are as they were, all later ones are.
 */
const UNCHANGED_MIN = 2 * COMPARED_CALLS_MAX

function addPartner(partners: Map<SpanId, Set<string>>, outer: SpanId, { call: { source } }: RecordedCall): void {
  const sources = partners.get(outer)
  if (sources) sources.add(source)
  else partners.set(outer, new Set([source]))
}

const isRecorded = (node: TraceNode): node is RecordedCall =>
  node.call !== null && node.call.source !== '' && (node.own[PROMPT] as bigint) > 0n

const byStartThenEnd = (one: RecordedCall, other: RecordedCall): number =>
  one.start_time - other.start_time ||
  other.call.end_time - one.call.end_time ||
  (one.span_id < other.span_id ? -1 : one.span_id > other.span_id ? 1 : 0)

function isRecordedBy(outer: RecordedCall, inner: RecordedCall, partners: Map<SpanId, Set<string>>): boolean {
  return (
    outer.call.source !== inner.call.source &&
    outer.call.end_time >= inner.call.end_time &&
    haveEqualTokens(outer.own, inner.own) &&
    mayBeSameModel(outer.call, inner.call) &&
    !partners.get(outer.span_id)?.has(inner.call.source)
  )
}

/** Whether the parent of one is above the other one, and neither is above the other. */
function isBeside(one: TraceNode, other: TraceNode, spans: Spans): boolean {
  if (one.parent_id === other.parent_id) return true
  const aboveOne = idsAbove(one, spans)
  const aboveOther = idsAbove(other, spans)
  if (aboveOne.includes(other.span_id) || aboveOther.includes(one.span_id)) return false
  return (
    (one.parent_id !== null && aboveOther.includes(one.parent_id)) ||
    (other.parent_id !== null && aboveOne.includes(other.parent_id))
  )
}

function idsAbove(node: TraceNode, spans: Spans): SpanId[] {
  const ids: SpanId[] = []
  let above: TraceNode | undefined = node
  while (above && above.parent_id !== null && ids.length < COMPARED_LEVELS_MAX) {
    ids.push(above.parent_id)
    above = spans.get(above.parent_id)
  }
  return ids
}
