import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { PROJECT_ATTRIBUTE, tracer } from '@spanhouse/telemetry'
import type { FastifyInstance } from 'fastify'
import { whenClosed } from '../http/answer/when-closed.ts'

/**
 * Adds a span for each request of a known caller to an existing endpoint. It lasts until the response has been sent or
 * the client is gone.
 */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { principal, routeOptions } = request
    if (principal === null || routeOptions.url === undefined) return done()
    const span = tracer().startSpan(`${request.method} ${routeOptions.url}`, {
      root: true,
      kind: SpanKind.SERVER,
      startTime: Date.now() - reply.elapsedTime,
      attributes: {
        'http.request.method': request.method,
        'http.route': routeOptions.url,
        [PROJECT_ATTRIBUTE]: principal.kind === 'project' ? principal.project_id : undefined,
      },
    })
    whenClosed(reply, () => endWith(span, reply.raw.statusCode, reply.raw.writableFinished))
    context.with(trace.setSpan(context.active(), span), done)
  })
}

function endWith(span: Span, status: number, isSent: boolean): void {
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: `status ${status}` })
  else if (!isSent) span.setStatus({ code: SpanStatusCode.ERROR, message: 'the client has closed the connection' })
  span.end()
}
