import { AMOUNTS, type Amounts, NO_AMOUNTS } from './amounts.ts'
import type { Derived, Restatement } from './metrics.ts'
import type { ModelCall } from './model-call.ts'
import type { TraceNode } from './trace-node.ts'

/**
 * The totals of a trace straight from their definition, slowly: each span's parent is looked for again and again, and
 * nothing is shared with the roll-up but the types. What was asked of a span is remembered: without that a deep tree
 * takes exponential time.
 */
export function oracle(nodes: readonly TraceNode[], isRootless = false): Map<string, Derived> {
  const parentOf = (node: TraceNode): TraceNode | undefined => nodes.find(other => other.span_id === node.parent_id)
  const before = (a: TraceNode, b: TraceNode): number =>
    a.start_time - b.start_time || (a.span_id < b.span_id ? -1 : a.span_id > b.span_id ? 1 : 0)
  const cycleOf = (node: TraceNode): TraceNode[] => {
    const chain = [node]
    for (let up = parentOf(node); up && chain.length <= nodes.length; up = parentOf(up)) {
      if (up === node) return chain
      chain.push(up)
    }
    return []
  }
  const isTop = (node: TraceNode): boolean => {
    const cycle = cycleOf(node)
    return parentOf(node) === undefined || (cycle.length > 0 && cycle.toSorted(before)[0] === node)
  }
  const add = (a: Amounts, b: Amounts): Amounts => a.map((value, index) => value + (b[index] as bigint))
  const childrenOf = (node: TraceNode): TraceNode[] =>
    nodes.filter(other => other.parent_id === node.span_id && !isTop(other))
  const below = remembering((node): Amounts => childrenOf(node).map(cumulative).reduce(add, NO_AMOUNTS))
  const of = (metric: string, amounts: Amounts): bigint[] =>
    amounts.filter((_, index) => AMOUNTS[index]?.metric === metric)
  const isSome = (values: bigint[]): boolean => values.some(value => value !== 0n)
  const uses = (amounts: Amounts): boolean => isSome(of('tokens', amounts)) || isSome(of('costs', amounts))
  const isOfCalls = remembering(
    (node): boolean =>
      (node.is_call || restated(node) !== 'none' || (!uses(node.own) && !uses(node.claimed ?? NO_AMOUNTS))) &&
      childrenOf(node).every(isOfCalls),
  )
  /** What is next below a span, passing over spans that are no calls. */
  const callsBelow = (node: TraceNode): TraceNode[] =>
    childrenOf(node).flatMap(child => (child.call ? [child] : callsBelow(child)))
  const hasSteps = (node: TraceNode): boolean =>
    childrenOf(node).some(child => (child.is_step && uses(cumulative(child))) || (!child.call && hasSteps(child)))
  const beside = besideOthers(nodes, parentOf)
  const isRepeated = (node: TraceNode, metric: string): boolean => {
    const [own, others] = [of(metric, node.own), of(metric, below(node))]
    if (beside.has(node)) return isSome(own)
    if (!isSome(own) || !isSome(others)) return false
    if (node.repeats_usage) return true
    if (!childrenOf(node).every(isOfCalls)) return false
    const isEqual = own.every((value, at) => value === 0n || value === others[at])
    if (!node.is_call) return isEqual
    const same = callsBelow(node).filter(other => mayBeSame(node, other))
    if (!node.call || same.length === 0) return false
    if (isEqual) return true
    if (metric !== 'tokens') return false
    if (same.some(other => areEqual(node, other))) return true
    return (
      same.length === callsBelow(node).length &&
      !hasSteps(node) &&
      own.every((value, at) => (others[at] as bigint) <= value)
    )
  }
  const restated = remembering((node): Restatement => {
    const tokens = isRepeated(node, 'tokens')
    const priced = [node.own, below(node)].every(amounts => isSome(of('costs', amounts)))
    const costs = isRepeated(node, 'costs') || (tokens && priced)
    return ([tokens && 'tokens', costs && 'costs'].filter(Boolean).join(' and ') || 'none') as Restatement
  })
  const failing = (node: TraceNode): TraceNode[] =>
    childrenOf(node).flatMap(child => (child.own[0] === 0n ? failing(child) : [child]))
  const isPassedOn = ({ failure, ...node }: TraceNode): boolean =>
    failure !== null &&
    failing(node as TraceNode).some(({ failure: below }) => {
      if (!below) return false
      const [sought, among] = below.message
        ? [below.message, [failure.message]]
        : [below.type, [failure.type, failure.message]]
      return among.includes(sought) || (sought.length > 7 && failure.message.split(sought).length > 1)
    })
  const cumulative = remembering((node): Amounts => {
    const [left, others] = [restated(node), below(node)]
    const own = node.own.map((value, index) => {
      if (index === 0 && isPassedOn(node)) return 0n
      if (!left.includes(AMOUNTS[index]?.metric ?? '')) return value
      const beyond = value - (others[index] as bigint)
      return (node.repeats_usage || node.is_call) && !beside.has(node) && beyond > 0n ? beyond : 0n
    })
    const sum = add(own, others)
    return sum.map((value, index) => {
      const metric = AMOUNTS[index]?.metric
      const isNothing = sum.every((other, at) => AMOUNTS[at]?.metric !== metric || other === 0n)
      return isNothing ? ((node.claimed ?? NO_AMOUNTS)[index] as bigint) : value
    })
  })
  const sorted = nodes.toSorted(before)
  const explicit = sorted.find(node => node.is_trace_type_explicit && node.declared_trace_type)
  const suggests = nodes.some(node => !node.is_trace_type_explicit && node.declared_trace_type === 'annotation')
  const trace_type = explicit?.declared_trace_type ?? (suggests ? 'annotation' : 'invocation')
  const head = sorted.findLast(node => node.parent_id === null) ?? (isRootless ? sorted[0] : undefined)
  const shown = (node: TraceNode, name: 'session_id' | 'user_id'): string | null => {
    const isOfTrace = node.parent_id === null || node === head
    return node[name] === '' && isOfTrace ? (sorted.find(other => other[name])?.[name] ?? '') : node[name]
  }
  return new Map(
    nodes.map(node => [
      node.span_id,
      {
        cumulative: cumulative(node),
        restated: restated(node),
        trace_type,
        is_trace_head: node === head,
        session_id: shown(node, 'session_id'),
        user_id: shown(node, 'user_id'),
      },
    ]),
  )
}

const tokensOf = ({ own }: TraceNode): (bigint | undefined)[] => own.slice(1, 4)

function areEqual(one: TraceNode, other: TraceNode): boolean {
  const [[p, c, t], [otherP, otherC, otherT]] = [tokensOf(one), tokensOf(other)]
  const isTotalAlone = (p === 0n && c === 0n) || (otherP === 0n && otherC === 0n)
  return isTotalAlone ? t === otherT : p === otherP && c === otherC
}

function mayBeSame(one: TraceNode, other: TraceNode): boolean {
  const [models, others] = [new Set(one.call?.models), new Set(other.call?.models)]
  return models.size === 0 || others.size === 0 || !models.isDisjointFrom(others)
}

/** The calls that a span beside them records as well, one after the other in order of start, longest first. */
function besideOthers(
  nodes: readonly TraceNode[],
  parentOf: (node: TraceNode) => TraceNode | undefined,
): Set<TraceNode> {
  const endOf = ({ call }: TraceNode): number => (call as ModelCall).end_time
  const calls = nodes
    .filter(({ call, own }) => call?.source && (own[1] as bigint) > 0n)
    .toSorted((a, b) => a.start_time - b.start_time || endOf(b) - endOf(a) || (a.span_id < b.span_id ? -1 : 1))
  const above = (node: TraceNode): unknown[] => {
    const ids: unknown[] = []
    for (let up: TraceNode | undefined = node; up && up.parent_id !== null && ids.length < 16; up = parentOf(up))
      ids.push(up.parent_id)
    return ids
  }
  const isBeside = (a: TraceNode, b: TraceNode): boolean => {
    if (a.parent_id === b.parent_id) return true
    if (above(a).includes(b.span_id) || above(b).includes(a.span_id)) return false
    return above(a).includes(b.parent_id) || above(b).includes(a.parent_id)
  }
  const repeated = new Map<TraceNode, TraceNode>()
  for (const inner of calls) {
    const equal = calls.filter(other => areEqual(other, inner))
    const outer = equal
      .slice(0, equal.indexOf(inner))
      .slice(-16)
      .filter(
        other =>
          !repeated.has(other) &&
          other.call?.source !== inner.call?.source &&
          endOf(other) >= endOf(inner) &&
          mayBeSame(other, inner) &&
          isBeside(other, inner) &&
          ![...repeated].some(([one, by]) => by === other && one.call?.source === inner.call?.source),
      )
      .at(-1)
    if (outer) repeated.set(inner, outer)
  }
  return new Set(repeated.keys())
}

function remembering<T>(ask: (node: TraceNode) => T): (node: TraceNode) => T {
  const answers = new Map<TraceNode, T>()
  return node => {
    const known = answers.get(node)
    if (known !== undefined) return known
    const answer = ask(node)
    answers.set(node, answer)
    return answer
  }
}
