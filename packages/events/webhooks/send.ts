import { StringDecoder } from 'node:string_decoder'
import type { JsonObject } from '@spanhouse/model'
import { OutboundError, type OutboundFetch } from '@spanhouse/outbound'
import { type Message, MissingSecret, requestOf, toldOf, type WebhookRequest, withoutSecret } from './message.ts'
import { BodyError } from './template.ts'

/** How an attempt has ended. */
export interface Outcome {
  /** Whether another attempt may succeed. */
  mayRetry: boolean
  status: { timestamp: string; code: string; message: 'success' | 'failed' }
  data: JsonObject
}

/** Limits of one attempt. A receiver's answer is read as far as it is told, whatever its size and its coding. */
export const ATTEMPT_LIMITS = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 10_000,
  totalMs: 10_000,
  responseBytesMax: Number.POSITIVE_INFINITY,
  mayBeCompressed: true,
} as const

/** Characters of a receiver's answer that a delivery tells. */
const ANSWER_LENGTH_MAX = 2_000
/** Enough for as many characters in UTF-8. */
const ANSWER_BYTES_MAX = 4 * ANSWER_LENGTH_MAX

/** Sends the message once. Never rejects, except with the signal's reason when that aborts. */
export async function send(fetch: OutboundFetch, message: Message, signal?: AbortSignal): Promise<Outcome> {
  const about = { event_type: message.event.type, url: message.data.url }
  let request: WebhookRequest
  try {
    request = await requestOf(message, Date.now())
  } catch (error) {
    if (!(error instanceof BodyError || error instanceof MissingSecret)) throw error
    return failure('0', { ...about, error: error.message }, false)
  }
  const sent = { ...about, ...toldOf(request) }
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      ...(signal && { signal }),
    })
    const body = await answerOf(response, message.secret)
    return outcomeOf(response.status, { ...sent, response: { status_code: response.status, body } })
  } catch (error) {
    if (signal?.aborted || !(error instanceof OutboundError)) throw error
    const data = { ...sent, error: withoutSecret(error.message, message.secret) }
    if (error.failure === 'refused') return failure('400', data, false)
    if (error.failure === 'informational') return failure(String(error.status), data, false)
    return failure('0', data, error.failure !== 'invalid_request')
  }
}

function outcomeOf(status: number, data: JsonObject): Outcome {
  const code = String(status)
  if (status >= 200 && status < 300) return { mayRetry: false, status: ended(code, 'success'), data }
  return failure(code, data, status >= 500)
}

const failure = (code: string, data: JsonObject, mayRetry: boolean): Outcome => ({
  mayRetry,
  status: ended(code, 'failed'),
  data,
})

const ended = (code: string, message: Outcome['status']['message']): Outcome['status'] => ({
  timestamp: new Date().toISOString(),
  code,
  message,
})

/**
 * The start of the answer, as it is told: without the secret, also where that lies across the end of what is read or
 * told. The status says whether the receiver has the event; the rest does not matter.
 */
async function answerOf(response: Response, secret: string | undefined): Promise<string> {
  const { bytes, isWhole } = await startOf(response)
  const coding = response.headers.get('content-encoding') ?? 'identity'
  if (coding !== 'identity') return `[compressed: ${coding}]`
  // The decoder leaves out a last character of which bytes are missing.
  const text = withoutSecret(new StringDecoder('utf8').write(bytes), secret, { isWhole })
  return text.replaceAll('\0', '\ufffd').slice(0, ANSWER_LENGTH_MAX)
}

/** The first bytes of the body, enough for what is told, and whether that is all of it. */
async function startOf(response: Response): Promise<{ bytes: Buffer; isWhole: boolean }> {
  if (response.body === null) return { bytes: Buffer.alloc(0), isWhole: true }
  const reader = response.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  let isWhole = false
  try {
    while (length < ANSWER_BYTES_MAX && !isWhole) {
      const { value, done } = await reader.read()
      if (done) isWhole = true
      else {
        pieces.push(value)
        length += value.length
      }
    }
  } catch {
    // It has broken off or stalled.
  }
  await reader.cancel().catch(() => undefined)
  return { bytes: Buffer.concat(pieces), isWhole }
}
