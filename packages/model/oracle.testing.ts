import { AMOUNTS, type Amounts, NO_AMOUNTS } from './amounts.ts'
import type { Derived, Restatement, TraceNode } from './metrics.ts'

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
  const isRepeated = (node: TraceNode, metric: string): boolean => {
    const [own, others] = [of(metric, node.own), of(metric, below(node))]
    if (!isSome(own) || !isSome(others)) return false
    if (node.repeats_usage) return true
    if (node.is_call || !childrenOf(node).every(isOfCalls)) return false
    return own.every((value, at) => value === 0n || value === others[at])
  }
  const restated = remembering((node): Restatement => {
    const tokens = isRepeated(node, 'tokens')
    const priced = [node.own, below(node)].every(amounts => isSome(of('costs', amounts)))
    const costs = isRepeated(node, 'costs') || (tokens && priced)
    return ([tokens && 'tokens', costs && 'costs'].filter(Boolean).join(' and ') || 'none') as Restatement
  })
  const cumulative = remembering((node): Amounts => {
    const [left, others] = [restated(node), below(node)]
    const own = node.own.map((value, index) => {
      if (!left.includes(AMOUNTS[index]?.metric ?? '')) return value
      const beyond = value - (others[index] as bigint)
      return node.repeats_usage && beyond > 0n ? beyond : 0n
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
  return new Map(
    nodes.map(node => [
      node.span_id,
      { cumulative: cumulative(node), restated: restated(node), trace_type, is_trace_head: node === head },
    ]),
  )
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
