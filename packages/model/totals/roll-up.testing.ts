import type { SpanId } from '../identifiers.ts'
import type { Derived } from './metrics.ts'
import type { TraceNode } from './trace-node.ts'
import { TraceTotals } from './trace-totals.ts'

/** What follows for the spans of a trace that is settled once. */
export function rollUp(nodes: ReadonlyMap<SpanId, TraceNode>, isRootless = false): Map<SpanId, Derived> {
  const totals = new TraceTotals()
  for (const node of nodes.values()) totals.set(node)
  return new Map(totals.settle(isRootless).map(({ node, derived }) => [node.span_id, derived]))
}
