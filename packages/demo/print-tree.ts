/** The part of a span in a trace's tree that is printed. */
export interface TreeNode {
  span_name: string
  span_type: string
  attributes: {
    ag: {
      metrics: {
        duration: { cumulative?: number }
        errors: { cumulative?: number }
        tokens: { cumulative?: { total: number } }
        costs: { cumulative?: { total: number } }
      }
    }
  }
  spans?: Record<string, TreeNode | TreeNode[]>
}

/** Prints one line per span, indented by depth, with its totals. */
export function printTree(spans: Record<string, TreeNode | TreeNode[]>, indent = '  '): string {
  return Object.values(spans)
    .flat()
    .map(node => `${line(node, indent)}${printTree(node.spans ?? {}, `${indent}  `)}`)
    .join('')
}

function line({ span_name, span_type, attributes }: TreeNode, indent: string): string {
  const { duration, errors, tokens, costs } = attributes.ag.metrics
  const totals = [
    `${Math.round(duration.cumulative ?? 0)} ms`,
    tokens.cumulative && `${tokens.cumulative.total} tokens`,
    costs.cumulative && `$${costs.cumulative.total}`,
    errors.cumulative && `${errors.cumulative} error`,
  ]
  return `${`${indent}${span_name} (${span_type})`.padEnd(36)}${totals.filter(Boolean).join(', ')}\n`
}
