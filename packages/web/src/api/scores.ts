import { queryOptions } from '@tanstack/react-query'
import { post } from './client.ts'
import { isObject, type JsonObject } from './registry/registry.ts'

/** The scores that a person or an evaluator gave a span of a trace. */
export interface Annotation {
  trace_id: string
  /** Of the span that it is about. */
  about: { trace_id: string; span_id: string }[]
  /** Who or what said it: the evaluator's slug, or the name of the span. */
  by: string
  origin: 'human' | 'other'
  time: string
  outputs: Record<string, unknown>
}

/**
 * Stores what a person says of a span, under the slug of an evaluator, which is created if it does not exist. With the
 * same key it takes the place of what was stored with it before.
 */
export const annotate = (
  invocation: { trace_id: string; span_id: string },
  slug: string,
  outputs: JsonObject,
  key: string,
): Promise<unknown> => {
  const links = { invocation }
  const references = { evaluator: { slug } }
  const trace = { origin: 'human', kind: 'adhoc', channel: 'web', data: { outputs }, references, links }
  return post('/simple/traces/', { trace, idempotency_key: key })
}

/** Annotations that are read at once. */
const ANNOTATIONS_PER_PAGE = 1_000

interface FoundSpan {
  trace_id: string
  span_name: string
  start_time: string
  links?: { trace_id: string; span_id: string }[]
  attributes?: {
    ag?: {
      data?: { outputs?: unknown }
      references?: { evaluator?: { slug?: string } }
      flags?: { is_feedback?: boolean }
    }
  }
}

interface FoundPage {
  spans: FoundSpan[]
  windowing?: object
}

/** All annotations of some traces, the newest first. */
export const annotationsQuery = (traceIds: readonly string[]) =>
  queryOptions({
    queryKey: ['annotations', traceIds],
    queryFn: ({ signal }) => readAnnotations(traceIds, signal),
    enabled: traceIds.length > 0,
  })

async function readAnnotations(traceIds: readonly string[], signal: AbortSignal): Promise<Annotation[]> {
  const conditions = [
    { field: 'links', operator: 'in', value: traceIds.map(trace_id => ({ trace_id })) },
    { field: 'trace_type', operator: 'is', value: 'annotation' },
    { field: 'parent_id', operator: 'is', value: null },
  ]
  const filtering = { operator: 'and', conditions }
  const found: FoundSpan[] = []
  let windowing: object | undefined = { limit: ANNOTATIONS_PER_PAGE }
  while (windowing) {
    const page: FoundPage = await post<FoundPage>('/spans/query', { filtering, windowing }, signal)
    found.push(...page.spans)
    windowing = page.windowing
  }
  return found.map(toAnnotation)
}

function toAnnotation({ trace_id, span_name, start_time, links = [], attributes }: FoundSpan): Annotation {
  const { data, references, flags } = attributes?.ag ?? {}
  const outputs = data?.outputs
  return {
    trace_id,
    about: links,
    by: references?.evaluator?.slug ?? span_name,
    origin: flags?.is_feedback ? 'human' : 'other',
    time: start_time,
    outputs: isObject(outputs) ? outputs : outputs === undefined ? {} : { value: outputs },
  }
}

export interface Score {
  name: string
  value: number | boolean
}

/** The numbers and verdicts of annotations; of several with one name the newest counts. */
export function scoresOf(annotations: readonly Annotation[]): Score[] {
  const scores = new Map<string, Score>()
  for (const { by, outputs } of annotations)
    for (const [member, value] of Object.entries(outputs)) {
      if (typeof value !== 'number' && typeof value !== 'boolean') continue
      const name = ['score', 'success', 'value'].includes(member) ? by : `${by}.${member}`
      if (!scores.has(name)) scores.set(name, { name, value })
    }
  return [...scores.values()]
}

/** Annotations by the trace that they are about. */
export const byTrace = (annotations: readonly Annotation[]): Map<string, Annotation[]> => {
  const found = new Map<string, Annotation[]>()
  for (const annotation of annotations)
    for (const trace_id of new Set(annotation.about.map(({ trace_id }) => trace_id))) {
      const others = found.get(trace_id)
      if (others) others.push(annotation)
      else found.set(trace_id, [annotation])
    }
  return found
}
