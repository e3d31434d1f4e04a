import type { SpanId } from '../identifiers.ts'
import type { TraceType } from '../span.ts'
import { type Amounts, ERRORS, NO_AMOUNTS, sumAmounts } from './amounts.ts'
import { cycleTops } from './cycles.ts'
import { Extreme } from './extreme.ts'
import { type Derived, equalDerived, hasUsage, type Total, totalOf, usesAsCall } from './metrics.ts'
import { COMPARED_LEVELS_MAX, RepeatedCalls } from './repeated-calls.ts'
import { ACTORS, type TraceNode } from './trace-node.ts'

/** How spans that are not in use are kept: as texts, which take a tenth of the memory of objects. */
export interface NodePacking<N> {
  pack(node: N): string
  unpack(packed: string): N
}

/** A span and what follows for it from its trace. */
export interface SettledSpan<N> {
  readonly node: N
  readonly derived: Derived
  /** What followed before; undefined for a new span. */
  readonly before: Derived | undefined
}

/**
 * The totals of a trace, while spans come, come again and are deleted:
 * `cumulative(span) = own(span) + Σ cumulative(children)`, children found by parent id alone, so that neither order nor
 * clocks matter. A total is not computed from prompt and completion: conventions give the spans that they recognise
 * one. A span whose parent is missing is the top of its own tree. A cycle of parents is cut above its earliest span.
 * Where a metric sums to nothing, what the client claimed counts.
 *
 * A span's own usage is left out of its total where it restates what its children's totals say already. That can be
 * when all that was used below it was used by calls. Then its tokens are restated when they are not all zero and each
 * kind of them that is not zero equals the children's sum of that kind; its costs when the same is true of them, or
 * when its tokens are restated and its children have any costs (one use has one price).
 *
 * A call restates under two more conditions, since instrumentations of several layers record the same call, one inside
 * the other: if one of the calls next below it, whatever is between them, has the same tokens; and if its children's
 * totals have no more of any kind of tokens and no step (a tool, an agent, a chain, a workflow) is between it and what
 * was used below. In all cases the calls next below it must possibly be of the same model (`mayBeSameModel`).
 *
 * A call that a span beside it records as well restates, too, all that it says; see {@link RepeatedCalls}.
 *
 * A span that `repeats_usage` restates whatever its children say anything of, equal or not, since it may know of a call
 * whose span does not tell what it used, or tell of the last call alone. There, and around calls within calls, the
 * larger amount is the total. All this depends on the spans alone and on no order; a late child makes a restatement or
 * ends it.
 *
 * One failure counts once: the error of a span is left out of its total if one of the failing spans next below it has
 * the same failure (`isSameFailure`), which it passed on.
 *
 * The type is the one that the earliest span with a type in words declares, else `annotation` when any span suggests
 * it, else `invocation`. The head, the span that stands for the trace in lists, is the root that started last; a
 * trace without a root has one (its earliest span) only when `isRootless` says that none is expected any more.
 *
 * A root without a session, and the head, shows that of the earliest span that has one, since instrumentation may set
 * it on spans below that of an HTTP server; the same is true of the user.
 *
 * A change takes time for the span and for those above it, each once for all changes that are settled together,
 * whatever the size of the trace: a span keeps what its children gave it, and one that is opened takes back what it
 * gave to its parent. Only a call, or a span with a failure, also looks for the calls, or failing spans, next below it,
 * and a trace whose type changes is settled as a whole.
 */
export class TraceTotals<N extends TraceNode = TraceNode> {
  /** Spans, and those that are not there but are the parent of some. */
  readonly #entries = new Map<SpanId, Entry<N>>()
  readonly #packing: NodePacking<N> | undefined
  readonly #repeated = new RepeatedCalls(this)
  readonly #lastRoot = new Extreme<N>('last', isRoot)
  readonly #earliest = new Extreme<N>('first', isAny)
  readonly #earliestTyped = new Extreme<N>('first', isTyped)
  readonly #earliestOf = {
    session_id: new Extreme<N>('first', hasSession),
    user_id: new Extreme<N>('first', hasUser),
  }
  readonly #roots = new Set<SpanId>()
  /** Spans that suggest that the trace is an annotation. */
  #annotations = 0
  #size = 0
  #trace_type: TraceType = 'invocation'
  #head: SpanId | undefined
  #actors = { session_id: '', user_id: '' }
  #opened: Entry<N>[] = []
  #unpacked: Entry<N>[] = []

  constructor(packing?: NodePacking<N>) {
    this.#packing = packing
  }

  /** The number of spans. */
  get size(): number {
    return this.#size
  }

  get hasRoot(): boolean {
    return this.#roots.size > 0
  }

  get(span_id: SpanId): N | undefined {
    const entry = this.#entries.get(span_id)
    return entry && this.#nodeOf(entry)
  }

  *values(): Generator<N> {
    for (const { node } of this.#entries.values())
      if (node !== undefined) yield typeof node === 'string' ? this.#unpack(node) : node
  }

  /**
   * Adds a span, or replaces its earlier version. `stored`: what is stored as derived for it, if anything; it is
   * settled anyway if nothing is.
   */
  set(node: N, stored?: Derived): void {
    const entry = this.#entryOf(node.span_id)
    const opened = this.#open(entry)
    const before = this.#nodeOf(entry)
    if (before) this.#forget(before)
    else this.#size++
    entry.node = node
    entry.flags = flagsOf(node) | (entry.flags & IS_REPEATED)
    opened.before = stored
    if (this.#packing) this.#unpacked.push(entry)
    this.#remember(node)
    this.#link(entry, node.parent_id === null ? undefined : this.#entryOf(node.parent_id))
  }

  /** Removes a span if it is there. The spans below it stay. */
  delete(span_id: SpanId): void {
    const entry = this.#entries.get(span_id)
    const node = entry && this.#nodeOf(entry)
    if (!node) return
    this.#open(entry)
    this.#forget(node)
    this.#size--
    entry.node = undefined
    entry.flags = 0
    this.#link(entry, undefined)
  }

  /**
   * Settles all changes since the last time. Returns the spans that were set, and all others for which something else
   * than before follows from the trace.
   */
  settle(isRootless = false): SettledSpan<N>[] {
    this.#settleRepeated()
    this.#settleTrace(isRootless)
    for (const { parent } of this.#opened) if (parent) (parent.opened as Opened).childrenLeft++
    let closed = 0
    for (const entry of this.#opened) closed += this.#close(entry)
    // What is left are cycles and nothing else: every span below one is closed, and each has one parent.
    if (closed < this.#opened.length)
      for (const { span_id } of cycleTops(this.#unclosed(), this))
        this.#cutAbove(this.#entries.get(span_id) as Entry<N>)
    const settled: SettledSpan<N>[] = []
    for (const entry of this.#opened) {
      const derived = this.#derivedOf(entry, entry.opened?.total)
      if (!derived) this.#removeUnused(entry)
      else if (!entry.opened?.before || !equalDerived(entry.opened.before, derived))
        settled.push({ node: entry.node as N, derived, before: entry.opened?.before })
      entry.opened = undefined
    }
    this.#opened = []
    return settled
  }

  /** Packs all spans that were used since the last time. They must not be changed any more. */
  pack(): void {
    for (const entry of this.#unpacked)
      if (entry.node !== undefined && typeof entry.node !== 'string') entry.node = this.#packing?.pack(entry.node)
    this.#unpacked = []
  }

  #entryOf(span_id: SpanId): Entry<N> {
    let entry = this.#entries.get(span_id)
    if (!entry) {
      entry = newEntry(span_id)
      this.#entries.set(span_id, entry)
    }
    return entry
  }

  #nodeOf(entry: Entry<N>): N | undefined {
    if (typeof entry.node !== 'string') return entry.node
    const node = this.#unpack(entry.node)
    entry.node = node
    this.#unpacked.push(entry)
    return node
  }

  #unpack(packed: string): N {
    return (this.#packing as NodePacking<N>).unpack(packed)
  }

  /** Takes back what a span and those above it gave to their parents, since it may change. */
  #open(entry: Entry<N>): Opened {
    const first = this.#opened.length
    for (let one: Entry<N> | undefined = entry; one && !one.opened; one = one.parent) {
      const total = this.#totalOf(one)
      const before = this.#derivedOf(one, total)
      const gift = total && gives(one) ? this.#giftOf(one, total) : undefined
      one.opened = { before, gift, total: undefined, childrenLeft: 0, isClosed: false }
      this.#opened.push(one)
    }
    for (let at = first; at < this.#opened.length; at++) {
      const one = this.#opened[at] as Entry<N>
      const gift = one.opened?.gift
      if (gift) addTo(one.parent as Entry<N>, gift, -1)
      one.flags &= ~IS_CUT
    }
    return entry.opened as Opened
  }

  /**
   * Gives what follows for a span to its parent when all its children are closed, and so on. Returns how many were
   * closed.
   */
  #close(entry: Entry<N>): number {
    let count = 0
    for (let one: Entry<N> | undefined = entry; one; one = one.parent) {
      const opened = one.opened as Opened
      if (opened.isClosed || opened.childrenLeft > 0) break
      opened.isClosed = true
      opened.total = this.#totalOf(one)
      count++
      if (!gives(one)) break
      const gift = opened.total && this.#giftOf(one, opened.total)
      if (gift) addTo(one.parent, gift, 1)
      const above = one.parent.opened as Opened
      above.childrenLeft--
    }
    return count
  }

  /** The parent of a cycle's top no longer waits for it: that is where closing begins. */
  #cutAbove(top: Entry<N>): void {
    const parent = top.parent as Entry<N>
    top.flags |= IS_CUT
    ;(parent.opened as Opened).childrenLeft--
    this.#close(parent)
  }

  *#unclosed(): Generator<N> {
    for (const entry of this.#opened) if (!entry.opened?.isClosed) yield this.#nodeOf(entry) as N
  }

  #totalOf(entry: Entry<N>): Total | undefined {
    const node = this.#nodeOf(entry)
    if (!node) return undefined
    const { sum, othersThanCalls, steps } = entry.below ?? NOTHING_BELOW
    return totalOf({
      node,
      isRepeated: (entry.flags & IS_REPEATED) !== 0,
      below: sum,
      isOfCalls: othersThanCalls === 0,
      hasSteps: steps > 0,
      calls: () => this.#next(entry, IS_CALL, 'calls'),
      failing: () => this.#next(entry, IS_FAILING, 'failing'),
    })
  }

  /** The spans with a flag next below one: those with no other such span between. */
  *#next(top: Entry<N>, flag: number, has: 'calls' | 'failing'): Generator<N> {
    const above = [top]
    for (let one = above.pop(); one; one = above.pop())
      for (let child = one.firstChild; child; child = child.nextChild)
        if (child.flags & IS_CUT) continue
        else if (child.flags & flag) yield this.#nodeOf(child) as N
        else if (child.below?.[has]) above.push(child)
  }

  /** Undefined: nothing. A span with errors or tokens below it, or of its own, has other amounts than none. */
  #giftOf({ flags, below = NOTHING_BELOW, node }: Entry<N>, { sum, restated }: Total): Below | undefined {
    if (sum === NO_AMOUNTS) return undefined
    const { is_step, call } = node as N
    const isOfCalls = below.othersThanCalls === 0 && (restated !== 'none' || usesAsCall(node as N))
    const hasSteps = (is_step && hasUsage(sum)) || (below.steps > 0 && call === null)
    return {
      sum,
      othersThanCalls: isOfCalls ? 0 : 1,
      steps: hasSteps ? 1 : 0,
      calls: flags & IS_CALL || below.calls > 0 ? 1 : 0,
      failing: flags & IS_FAILING || below.failing > 0 ? 1 : 0,
    }
  }

  #derivedOf(entry: Entry<N>, total: Total | undefined): Derived | undefined {
    if (!total) return undefined
    const { sum: cumulative, restated } = total
    const { parent_id, session_id, user_id } = this.#nodeOf(entry) as N
    const is_trace_head = entry.span_id === this.#head
    const others = parent_id === null || is_trace_head ? this.#actors : NO_ACTORS
    return {
      cumulative,
      restated,
      trace_type: this.#trace_type,
      is_trace_head,
      session_id: session_id === '' ? others.session_id : session_id,
      user_id: user_id === '' ? others.user_id : user_id,
    }
  }

  /** `parent` is opened, too, unless there is none. */
  #link(entry: Entry<N>, parent: Entry<N> | undefined): void {
    if (entry.parent === parent) return
    const { previousChild, nextChild } = entry
    if (previousChild) previousChild.nextChild = nextChild
    else if (entry.parent) entry.parent.firstChild = nextChild
    if (nextChild) nextChild.previousChild = previousChild
    if (parent) this.#open(parent)
    entry.parent = parent
    entry.previousChild = undefined
    entry.nextChild = parent?.firstChild
    if (parent?.firstChild) parent.firstChild.previousChild = entry
    if (parent) parent.firstChild = entry
    this.#moveCallsBelow(entry)
  }

  /** What is above a span is compared by calls of up to this many levels below it. */
  #moveCallsBelow(top: Entry<N>): void {
    if (!this.#repeated.isActive) return
    let level = [top]
    for (let depth = 1; depth < COMPARED_LEVELS_MAX && level.length > 0; depth++) {
      const next: Entry<N>[] = []
      for (const entry of level)
        for (let child = entry.firstChild; child; child = child.nextChild) {
          if (child.flags & IS_CALL) this.#repeated.move(this.#nodeOf(child) as N)
          next.push(child)
        }
      level = next
    }
  }

  #remember(node: N): void {
    this.#lastRoot.add(node)
    this.#earliest.add(node)
    this.#earliestTyped.add(node)
    for (const name of ACTORS) this.#earliestOf[name].add(node)
    if (node.parent_id === null) this.#roots.add(node.span_id)
    if (isSuggestion(node)) this.#annotations++
    this.#repeated.add(node)
  }

  #forget(node: N): void {
    this.#lastRoot.remove(node)
    this.#earliest.remove(node)
    this.#earliestTyped.remove(node)
    for (const name of ACTORS) this.#earliestOf[name].remove(node)
    if (node.parent_id === null) this.#roots.delete(node.span_id)
    if (isSuggestion(node)) this.#annotations--
    this.#repeated.remove(node)
  }

  #settleRepeated(): void {
    for (const span_id of this.#repeated.settle()) {
      const entry = this.#entries.get(span_id)
      const flag = this.#repeated.has(span_id) ? IS_REPEATED : 0
      if (!entry || (entry.flags & IS_REPEATED) === flag) continue
      this.#open(entry)
      entry.flags ^= IS_REPEATED
    }
  }

  #settleTrace(isRootless: boolean): void {
    const root = this.#lastRoot.among(this.values())
    const head = (root ?? (isRootless ? this.#earliest.among(this.values()) : undefined))?.span_id
    const declared = this.#earliestTyped.among(this.values())?.declared_trace_type
    const trace_type = declared ?? (this.#annotations > 0 ? 'annotation' : 'invocation')
    const actors = {
      session_id: this.#earliestOf.session_id.among(this.values())?.session_id ?? '',
      user_id: this.#earliestOf.user_id.among(this.values())?.user_id ?? '',
    }
    if (trace_type !== this.#trace_type) for (const entry of this.#entries.values()) this.#open(entry)
    if (ACTORS.some(name => actors[name] !== this.#actors[name])) this.#openSome([...this.#roots, head, this.#head])
    else if (head !== this.#head) this.#openSome([head, this.#head])
    this.#trace_type = trace_type
    this.#head = head
    this.#actors = actors
  }

  #openSome(span_ids: readonly (SpanId | undefined)[]): void {
    for (const span_id of span_ids) {
      const entry = span_id === undefined ? undefined : this.#entries.get(span_id)
      if (entry) this.#open(entry)
    }
  }

  #removeUnused(entry: Entry<N>): void {
    if (!entry.firstChild) this.#entries.delete(entry.span_id)
  }
}

/** A span, or one that is not there but is the parent of some. */
interface Entry<N> {
  readonly span_id: SpanId
  /** Packed, if it is not in use. Undefined: not there. */
  node: N | string | undefined
  flags: number
  /** Also one that is not there; undefined for roots. */
  parent: Entry<N> | undefined
  firstChild: Entry<N> | undefined
  nextChild: Entry<N> | undefined
  previousChild: Entry<N> | undefined
  /** Undefined if its children gave nothing. */
  below: Below | undefined
  /** Set while it is to be settled. All above it are then opened, too. */
  opened: Opened | undefined
}

const newEntry = <N>(span_id: SpanId): Entry<N> => ({
  span_id,
  node: undefined,
  flags: 0,
  parent: undefined,
  firstChild: undefined,
  nextChild: undefined,
  previousChild: undefined,
  below: undefined,
  opened: undefined,
})

const NO_ACTORS = { session_id: '', user_id: '' }

const IS_REPEATED = 1
/** It is the top of a cycle. */
const IS_CUT = 2
const IS_CALL = 4
const IS_FAILING = 8

const flagsOf = ({ call, own }: TraceNode): number =>
  (call === null ? 0 : IS_CALL) | (own[ERRORS] === 0n ? 0 : IS_FAILING)

interface Opened {
  /** What followed for it before. */
  before: Derived | undefined
  /** What it gave to its parent. */
  readonly gift: Below | undefined
  /** Set when it is closed. */
  total: Total | undefined
  /** How many of its children are not closed. */
  childrenLeft: number
  isClosed: boolean
}

/** What a span gives to its parent, and all that its children gave to a span. */
interface Below {
  readonly sum: Amounts
  /** How many of them have usage that is not of calls. */
  readonly othersThanCalls: number
  /** How many of them have a step between their parent and some usage. */
  readonly steps: number
  /** How many are calls, or have some below them. */
  readonly calls: number
  /** How many have errors, or some that do below them. */
  readonly failing: number
}

const NOTHING_BELOW: Below = { sum: NO_AMOUNTS, othersThanCalls: 0, steps: 0, calls: 0, failing: 0 }

function addTo(parent: { below: Below | undefined }, gift: Below, sign: 1 | -1): void {
  const { below = NOTHING_BELOW } = parent
  parent.below = {
    sum: sign === 1 ? sumAmounts(below.sum, gift.sum) : withoutAmounts(below.sum, gift.sum),
    othersThanCalls: below.othersThanCalls + sign * gift.othersThanCalls,
    steps: below.steps + sign * gift.steps,
    calls: below.calls + sign * gift.calls,
    failing: below.failing + sign * gift.failing,
  }
}

const withoutAmounts = (from: Amounts, amounts: Amounts): Amounts =>
  amounts === NO_AMOUNTS ? from : from.map((value, index) => value - (amounts[index] as bigint))

const gives = <N>(entry: Entry<N>): entry is Entry<N> & { parent: Entry<N> } =>
  entry.parent !== undefined && (entry.flags & IS_CUT) === 0

const isRoot = ({ parent_id }: TraceNode): boolean => parent_id === null

const isAny = (): boolean => true

const hasSession = ({ session_id }: TraceNode): boolean => Boolean(session_id)

const hasUser = ({ user_id }: TraceNode): boolean => Boolean(user_id)

const isTyped = ({ declared_trace_type, is_trace_type_explicit }: TraceNode): boolean =>
  declared_trace_type !== null && is_trace_type_explicit

const isSuggestion = ({ declared_trace_type, is_trace_type_explicit }: TraceNode): boolean =>
  declared_trace_type === 'annotation' && !is_trace_type_explicit
