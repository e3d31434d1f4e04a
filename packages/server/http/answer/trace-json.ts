import { JsonMembers, type JsonObject, type NestedSpan, type SpanLevel, type TreeNode } from '@spanhouse/model'

/** A node of a tree: it becomes the span's JSON when it is rendered. */
interface ShownSpan extends NestedSpan {
  toJSON(): JsonObject
}

/**
 * The tree of a trace in the shape of the interface: children are under `spans` of their parent, by name; a single span
 * of a name is an object, several are a list. The names are in the tree's order, since clients take the first entry for
 * the root; plain JavaScript objects would put numeric names first.
 */
export const treeJson = (level: SpanLevel<ShownSpan>): JsonMembers => new JsonMembers(entriesOf(level))

function* entriesOf(level: SpanLevel<ShownSpan>): Generator<[string, unknown]> {
  for (const [name, nodes] of level) {
    const shown = nodes.map(node => ({ toJSON: () => nodeJson(node) }))
    yield [name, shown.length === 1 ? shown[0] : shown]
  }
}

function nodeJson({ span, spans }: TreeNode<ShownSpan>): unknown {
  const json = span.toJSON()
  return spans ? { ...json, spans: treeJson(spans) } : json
}
