import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Body } from './asked.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import { embeddingOf } from './embedding.ts'
import { NOW, replyTo, tokensOf } from './reply.ts'
import { anthropic } from './wire/anthropic.ts'
import { openaiChat } from './wire/openai-chat.ts'
import { openaiResponses } from './wire/openai-responses.ts'
import { eventOf, type Wire } from './wire/wire.ts'

/** Beyond this many requests, the oldest are forgotten. */
const RECORDED_MAX = 1_000
/**
 * Behaviours whose answer, if it is not a stream, is sent at once and with its length. The others send it in two
 * pieces.
 */
const WHOLE = new Set(['fixed', 'delay'])
const WIRES = [openaiChat, openaiResponses, anthropic]
const CONTEXT_ERROR =
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."

/** A request as received. */
export interface RecordedRequest {
  method: string
  /** Including the query string. */
  path: string
  headers: IncomingHttpHeaders
  body: Body
  /** How the response ended: undefined while it is in progress, `aborted` if the client disconnected before its end. */
  end?: 'sent' | 'aborted'
}

export interface FakeProvider {
  /** Without a path: `{url}/v1` is the base of the OpenAI and Anthropic interfaces. */
  url: string
  requests: RecordedRequest[]
  close(): Promise<void>
}

/** Starts a provider on the loopback address; port 0 picks a free port. */
export async function startFakeProvider({ port = 0 }: { port?: number } = {}): Promise<FakeProvider> {
  const requests: RecordedRequest[] = []
  const server = createServer((request, response) => {
    answer(request, response, requests).catch(error => response.writeHead(400).end(String(error)))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: RecordedRequest[]): Promise<void> {
  const { method = '', url: path = '', headers } = request
  if (path === '/requests') return sendJson(response, requests)
  const text = await bodyOf(request)
  const recorded: RecordedRequest = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) }
  requests.push(recorded)
  if (requests.length > RECORDED_MAX) requests.shift()
  response.on('close', () => {
    recorded.end = response.writableFinished ? 'sent' : 'aborted'
  })
  const [plainPath = ''] = path.split('?')
  if (/\/models$/.test(plainPath)) return sendJson(response, { object: 'list', data: [] })
  if (/\/embeddings$/.test(plainPath)) return await embed(recorded.body, response)
  const wire = WIRES.find(one => one.path.test(plainPath))
  if (wire === undefined) return sendJson(response, { error: { message: `Nothing at ${path}` } }, 404)
  await chat(wire, recorded, response)
}

function bodyOf(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => resolve(Buffer.concat(chunks).toString()))
  request.on('error', reject)
  return promise
}

async function chat(wire: Wire, { body, path }: RecordedRequest, response: ServerResponse): Promise<void> {
  const asked = wire.read(body, path)
  const behaviour = behaviourOf(asked.model, asked.last)
  if (await isEndedEarly(behaviour, response, wire)) return
  const reply = replyTo(asked, behaviour)
  response.setHeader('content-type', asked.isStream ? 'text/event-stream' : 'application/json')
  if (!asked.isStream && WHOLE.has(behaviour.name)) return void response.end(JSON.stringify(wire.whole(asked, reply)))
  const pieces = asked.isStream ? wire.pieces(asked, reply) : halves(JSON.stringify(wire.whole(asked, reply)))
  if (behaviour.name !== 'error-middle') return await sendInPieces(response, pieces, behaviour)
  const error = eventOf(wire.error(529, 'The fake provider is overloaded.'), 'error')
  await sendInPieces(response, [...pieces.slice(0, Math.ceil(pieces.length / 2)), error], behaviour)
}

async function embed(body: Body, response: ServerResponse): Promise<void> {
  const values = [body.input].flat() as string[]
  if (await isEndedEarly(behaviourOf(body.model, values.at(-1) ?? ''), response, openaiChat)) return
  const data = values.map((value, index) => ({
    object: 'embedding',
    index,
    embedding: embeddingOf(value, body.dimensions),
  }))
  const tokens = values.reduce((sum, value) => sum + tokensOf(value), 0)
  sendJson(response, {
    object: 'list',
    data,
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

/** Performs the behaviours that give no model answer; the caller handles the others. */
async function isEndedEarly({ name, amount }: Behaviour, response: ServerResponse, wire: Wire): Promise<boolean> {
  if (name === 'delay') await delay(amount ?? 500)
  if (name === 'stall-before') return true
  if (name === 'invalid-json') response.setHeader('content-type', 'application/json').end('{"choices": [')
  else if (name === 'context') sendJson(response, wire.error(400, CONTEXT_ERROR), 400)
  else if (name === 'error') {
    const status = amount ?? 500
    if (status === 429 || status === 503) response.setHeader('retry-after', '7')
    sendJson(response, wire.error(status, `The fake provider responds with ${status}.`), status)
  }
  return response.headersSent
}

/**
 * Sends the chunks one after another; `stall-middle`, `cut` and `half` stop after the first ones, the last as if it were
 * done; `slow` and `clock` wait before each.
 */
async function sendInPieces(response: ServerResponse, pieces: string[], { name, amount }: Behaviour): Promise<void> {
  const isBroken = name === 'stall-middle' || name === 'cut'
  const sent = isBroken || name === 'half' ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces
  const waitMs = name === 'slow' || name === 'clock' ? (amount ?? 20) : 0
  try {
    await pipeline(paced(sent, waitMs), response, { end: !isBroken })
  } catch {
    // The client disconnected, which the request's entry records.
  }
  if (name === 'cut') response.destroy()
}

async function* paced(pieces: string[], waitMs: number): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (waitMs > 0) await delay(waitMs)
    yield piece.replaceAll(NOW, () => String(performance.timeOrigin + performance.now()))
  }
}

const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
