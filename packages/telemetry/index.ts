import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/** The attribute with the project for which a request or a job works. */
export const PROJECT_ATTRIBUTE = 'spanhouse.project_id'

/** The tracer of the whole program. Without a provider (`server/self-tracing`) its spans record nothing. */
export const tracer = () => trace.getTracer('spanhouse')

/** Runs a job of a project in a span that begins a trace. What it rejects with is the span's error. */
export const tracedJob = <T>(
  name: string,
  { project_id, ...attributes }: Attributes & { project_id: string },
  work: () => Promise<T>,
): Promise<T> =>
  tracer().startActiveSpan(
    name,
    { root: true, attributes: { ...attributes, [PROJECT_ATTRIBUTE]: project_id } },
    within(work),
  )

/**
 * Runs a statement of a database in a span, if it is part of a trace that is recorded. The text must not have values.
 */
export function tracedStatement<T>(system: string, text: string, work: () => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()?.isRecording()) return work()
  const [verb = ''] = text.trimStart().split(/\s/, 1)
  const attributes = { 'db.system.name': system, 'db.query.text': text }
  return tracer().startActiveSpan(`${system} ${verb}`, { kind: SpanKind.CLIENT, attributes }, within(work))
}

const within =
  <T>(work: () => Promise<T>) =>
  async (span: Span): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
