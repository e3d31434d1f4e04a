import { type Json, type JsonObject, type NestedSpan, nestSpans, type SpanLevel, type TreeNode } from '@spanhouse/model'

/** A span that knows how it is shown. */
export interface ShownSpan extends NestedSpan {
  toJSON(): JsonObject
}

/** Levels of spans. Evaluators, their code and JSON as such cannot be given what is nested without a bound. */
const LEVELS_MAX = 100

/**
 * The tree of a trace as evaluators are given it, in the shape of the interface: children are under `spans` of their
 * parent, by name; a single span of a name is an object, several are a list. Whatever is below the last level is in it.
 */
export const plainTree = (spans: readonly ShownSpan[]): JsonObject => levelJson(nestSpans(spans), 1)

const levelJson = (level: SpanLevel<ShownSpan>, depth: number): JsonObject =>
  Object.fromEntries(
    [...(depth < LEVELS_MAX ? level : flat(level))].map(([name, nodes]): [string, Json] => {
      const shown = nodes.map(node => nodeJson(node, depth))
      return [name, shown.length === 1 ? (shown[0] as Json) : shown]
    }),
  )

function nodeJson({ span, spans }: TreeNode<ShownSpan>, depth: number): Json {
  const json = span.toJSON()
  return spans ? { ...json, spans: levelJson(spans, depth + 1) } : json
}

/** All spans of a level and below, beside each other. */
function flat(level: SpanLevel<ShownSpan>): SpanLevel<ShownSpan> {
  const all: TreeNode<ShownSpan>[] = []
  const levels = [level]
  for (const one of levels)
    for (const { span, spans } of [...one.values()].flat()) {
      all.push({ span, spans: undefined })
      if (spans) levels.push(spans)
    }
  return Map.groupBy(all, ({ span }) => span.span_name)
}
