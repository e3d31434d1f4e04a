import { isJsonObject, type Json } from '@spanhouse/model'
import type { z } from '@spanhouse/validation'
import type { parts, Skeleton } from '../routes/web/answers.ts'

/**
 * A window of a trace as an indented tree, a line for each span. Children of spans before the window begin at the left,
 * with the id of their parent.
 */
export function renderTree(body: unknown): string {
  const { count, total, offset, began_at, names, spans, session_id, user_id } = body as Skeleton
  if (total === 0) return 'The trace does not exist.'
  const shown = `spans ${count === 0 ? 'none' : `${offset + 1} to ${offset + count}`} of ${total}`
  const of = [began_at && `began ${began_at}`, session_id && `session ${session_id}`, user_id && `user ${user_id}`]
  const depths = new Map<string, number>()
  const lines = spans.span_id.map((span_id, at) => {
    const parent_id = spans.parent_id[at] as string
    const above = depths.get(parent_id)
    const depth = above === undefined ? 0 : above + 1
    depths.set(span_id, depth)
    const figures = [
      names[spans.span_type[at] as number],
      `${spans.duration[at]} ms`,
      spans.tokens[at] && `${spans.tokens[at]} tokens`,
      spans.costs[at] && `$${spans.costs[at]}`,
      spans.is_error[at] && 'ERROR',
      !spans.is_error[at] && spans.errors[at] && `${spans.errors[at]} exceptions`,
      `span ${span_id}`,
      above === undefined && parent_id && `parent ${parent_id}`,
    ]
    return `${'  '.repeat(depth)}${names[spans.span_name[at] as number]} [${figures.filter(Boolean).join(', ')}]`
  })
  return [[shown, ...of.filter(Boolean)].join(', '), ...lines].join('\n')
}

/** The texts of a span, each below a heading that says which range it is. */
export function renderParts(body: unknown): string {
  const span = body as z.output<typeof parts>
  const texts = span.parts.map(({ part, characters, offset, text, next }) => {
    const more = next === undefined ? '' : `; continue with part ${part}, offset ${next}`
    return `## ${part} (characters ${offset} to ${next ?? characters} of ${characters}${more})\n${text}`
  })
  return [...(span.status_message ? [`Status message: ${span.status_message}`] : []), ...texts].join('\n\n')
}

/** Of a revision what a model needs; the interface repeats the ids of its artifact under several names. */
const OF_REVISION = [
  'id',
  'slug',
  'version',
  'name',
  'description',
  'message',
  'author',
  'date',
  'deleted_at',
  'tags',
  'meta',
  'artifact_id',
  'artifact_slug',
  'variant_id',
  'variant_slug',
  'data',
]

/** Revisions, wherever in the body, with the members of {@link OF_REVISION}. */
export function renderRevisions(body: unknown): string {
  return JSON.stringify(body, (_, value: Json) => {
    if (!isJsonObject(value) || value.artifact_slug === undefined) return value
    return Object.fromEntries(OF_REVISION.flatMap(name => (name in value ? [[name, value[name]]] : [])))
  })
}

interface AnnotationSpan {
  trace_id: string
  span_name: string
  start_time: string
  links?: { trace_id: string; span_id: string }[]
  attributes?: {
    ag?: {
      data?: { outputs?: Json }
      references?: { evaluator?: { slug?: string } }
      flags?: { is_feedback?: boolean }
    }
  }
}

/** Annotations, from their root spans: who said what about which spans. */
export function renderAnnotations(body: unknown): string {
  const { spans } = body as { spans: AnnotationSpan[] }
  const annotations = spans.map(({ trace_id, span_name, start_time, links = [], attributes }) => ({
    trace_id,
    time: start_time,
    evaluator: attributes?.ag?.references?.evaluator?.slug ?? span_name,
    is_human: attributes?.ag?.flags?.is_feedback === true,
    outputs: attributes?.ag?.data?.outputs,
    about: links.map(link => ({ trace_id: link.trace_id, span_id: link.span_id })),
  }))
  return JSON.stringify({ count: annotations.length, annotations })
}
