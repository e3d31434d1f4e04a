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
    const body = withoutSecret(await answerOf(response), message.secret).slice(0, ANSWER_LENGTH_MAX)
    return outcomeOf(response.status, { ...sent, response: { status_code: response.status, body } })
  } catch (error) {
    if (signal?.aborted || !(error instanceof OutboundError)) throw error
    const data = { ...sent, error: withoutSecret(error.message, message.secret) }
    if (error.failure === 'refused') return failure('400', data, false)
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
 * The start of the answer, at least as much as is told. The status says whether the receiver has the event; what comes
 * of the rest is no matter.
 */
async function answerOf(response: Response): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    while (bytes < ANSWER_BYTES_MAX) {
      const { value, done } = await reader.read()
      if (done) break
      pieces.push(value)
      bytes += value.length
    }
  } catch {
    // It has broken off or stalled.
  }
  await reader.cancel().catch(() => undefined)
  const coding = response.headers.get('content-encoding') ?? 'identity'
  if (coding !== 'identity') return `[compressed: ${coding}]`
  return Buffer.concat(pieces).toString('utf8').replaceAll('\0', '\ufffd')
}
