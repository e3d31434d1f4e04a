import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invalid, PROBLEMS, Problem } from '@spanhouse/model'
import { databaseProblem } from '@spanhouse/postgres'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { reasonOf } from '../log/reason.ts'
import { RepeatedLines } from '../log/repeated-lines.ts'
import { operationIdOf } from './operation-id.ts'

/** Fastify's own errors, which occur before any handler runs. */
const FASTIFY_PROBLEMS: Record<string, (error: FastifyError) => Problem> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: error => new Problem('invalid', error.message),
  FST_ERR_BAD_URL: () => new Problem('invalid', 'The path has an invalid percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('invalid', 'A part of the path is longer than any id.'),
}

/** The error that the caller sees; anything that is not a Problem is a defect, and its details are hidden. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const ofDatabase = databaseProblem(error)
  if (ofDatabase) return ofDatabase
  const { code = '', statusCode } = error as FastifyError
  const known = FASTIFY_PROBLEMS[code]
  if (known) return known(error as FastifyError)
  if (statusCode && statusCode >= 400 && statusCode < 500) return new Problem('invalid', (error as Error).message)
  return new Problem('internal', "Internal error; see the server's log.", { cause: error })
}

/** Of all requests: when a store fails, most of them meet the same failure. */
const failures = new RepeatedLines()

/** Tells the operator, at most once a minute, why requests cannot be served for now; callers learn no details. */
function logFailure(problem: Problem, { log }: FastifyRequest): void {
  if (problem.cause === undefined || !problem.retryable) return
  const before = failures.note(problem.message)
  if (before !== undefined)
    log.warn({ reason: reasonOf(problem), notLogged: before || undefined }, 'requests cannot be served')
}

/** Writes a Problem as the interface's JSON body: `{"detail": …}`. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = PROBLEMS[problem.code]
  logFailure(problem, request)
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  // The rest of the body is not read, so no further request can follow on this connection.
  if (problem.code === 'too_slow') reply.header('connection', 'close')
  if (problem.code !== 'internal') return reply.code(status).send({ detail: problem.detail })
  const supportId = randomUUID()
  request.log.error({ err: problem.cause ?? problem, supportId }, 'request failed')
  return reply
    .code(status)
    .header('x-ag-support-id', supportId)
    .header('x-ag-support-ts', new Date().toISOString())
    .send({
      detail: { message: problem.detail, operation_id: operationIdOf(request.method, request.routeOptions.url ?? '') },
    })
}

const UNREADABLE: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The URL and headers are longer than the limit.'],
}
const NO_HTTP: [status: string, message: string] = ['400 Bad Request', 'The request is not valid HTTP.']

/** Responds to input that is not a valid request and cannot be routed, and closes the connection. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message] = UNREADABLE[error.code ?? ''] ?? NO_HTTP
  const body = JSON.stringify({ detail: message })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close`
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`)
  else socket.destroy(error)
}

/** Responds to a request with an `Expect` header other than `100-continue`, in place of Node's empty response. */
export function answerExpectation({ headers: { expect } }: IncomingMessage, response: ServerResponse): void {
  const detail = `Expect ${expect} is not supported: only 100-continue is`
  const headers = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', connection: 'close' }
  response.writeHead(417, headers).end(JSON.stringify({ detail }))
}

/** Throws a Problem `invalid` for a request that must have a `Host` header and has none, as RFC 9112 (3.2) requires. */
export function requireHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined) throw invalid('The header Host is missing.')
}
