import { type Json, type JsonObject, type NestedSpan, nestSpans, type SpanLevel, type TreeNode } from '@spanhouse/model'

/** A span that knows how it is shown. */
export interface ShownSpan extends NestedSpan {
  toJSON(): JsonObject
}

/**
 * The tree of a trace as evaluators are given it, in the shape of the interface: children are under `spans` of their
 * parent, by name; a single span of a name is an object, several are a list.
 */
export const plainTree = (spans: readonly ShownSpan[]): JsonObject => levelJson(nestSpans(spans))

const levelJson = (level: SpanLevel<ShownSpan>): JsonObject =>
  Object.fromEntries(
    [...level].map(([name, nodes]): [string, Json] => {
      const shown = nodes.map(nodeJson)
      return [name, shown.length === 1 ? (shown[0] as Json) : shown]
    }),
  )

function nodeJson({ span, spans }: TreeNode<ShownSpan>): Json {
  const json = span.toJSON()
  return spans ? { ...json, spans: levelJson(spans) } : json
}
