import { Readable } from 'node:stream'
import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Invocation, RunEvent, RunResult } from '@spanhouse/runtime'
import type { FastifyReply } from 'fastify'
import { sendAnswer } from '../http/answer/send-answer.ts'
import { SILENCE_MS } from '../http/answer/server-sent-events.ts'
import { addRunHeaders, addStatus, envelopeOf } from './envelope.ts'
import { type Framing, linesFraming, sseFraming } from './framing.ts'
import type { Negotiated } from './negotiate.ts'
import { toUiMessages } from './ui-messages.ts'
import { VercelFraming } from './vercel.ts'

/**
 * Unread bytes of a stream. If the caller reads more slowly than the model writes and there are more when the next
 * event comes, the run ends. The event itself does not count: a result repeats what was streamed, and can be written
 * before any of it is read.
 */
const WAITING_BYTES_MAX = 8 * 1024 * 1024

export interface AnswerOptions {
  reply: FastifyReply
  negotiated: Negotiated
  errorsUrl: string
  /** Called when the caller reads too slowly. */
  onLost(): void
  /** The id of the UI message that the response continues. */
  messageId: string | undefined
  /** Makes the body of a successful response, if it is not the protocol's envelope. */
  bodyOf?(result: RunResult, invocation: Invocation): JsonObject
}

/**
 * Sends the result of a run: as JSON, or as a stream that starts with the run's first event. A run that fails before
 * its first event gets a JSON response with its status, whatever form was requested.
 */
export class RunAnswer {
  readonly #options: AnswerOptions
  /** Made when the response turns out to be streamed. */
  #stream: Readable | undefined
  readonly #begun = Promise.withResolvers<void>()
  #framing: Framing | undefined
  #isBegun = false
  #silence: NodeJS.Timeout | undefined

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  /** The run's listener for events. */
  readonly onEvent = (event: RunEvent): void => {
    if (!this.#isBegun && event.type === 'error') return
    // `send` has been called by now: a run emits nothing before `invoke` has returned.
    this.#begin()
    this.#write((this.#framing as Framing).event(event))
  }

  /** Resolves when the response has been sent or has started to be streamed. */
  async send(invocation: Invocation): Promise<FastifyReply> {
    const { reply, negotiated } = this.#options
    addRunHeaders(reply, invocation)
    this.#framing = framingOf(negotiated, invocation, this.#options.messageId)
    if (negotiated.isStreamed && this.#framing.keepAlive !== undefined) this.#breakSilence(this.#framing.keepAlive)
    const ended = invocation.result.then(result => {
      clearInterval(this.#silence)
      return result
    })
    const first = await Promise.race([this.#begun.promise, ended])
    if (first !== undefined) return this.#sendWhole(first, invocation)
    void ended.then(result => {
      this.#write((this.#framing as Framing).end(this.#envelope(result, invocation)))
      this.#stream?.push(null)
    })
    return reply
      .code(200)
      .headers((this.#framing as Framing).headers)
      .send(this.#stream)
  }

  #sendWhole(result: RunResult, invocation: Invocation): Promise<FastifyReply> | FastifyReply {
    const { reply, negotiated } = this.#options
    const envelope = this.#envelope(result, invocation)
    addStatus(reply, result.status)
    const { form } = negotiated
    if (form === 'json' || result.status.code >= 400) return sendAnswer(reply, envelope)
    const framing = this.#framing as Framing
    return reply.headers(framing.headers).send(framing.begin() + framing.end(envelope))
  }

  #envelope(result: RunResult, invocation: Invocation): JsonObject {
    const { errorsUrl, bodyOf } = this.#options
    if (bodyOf && result.status.code < 400) return bodyOf(result, invocation)
    const { trace_id, span_id, session_id } = invocation
    const ids = { trace_id, span_id, session_id }
    return envelopeOf(result.status, { errorsUrl, ids, outputs: result.outputs })
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#stream = new Readable({ read: () => undefined })
    this.#write((this.#framing as Framing).begin())
    this.#begun.resolve()
  }

  #write(text: string): void {
    const stream = this.#stream
    if (text === '' || !stream || stream.destroyed) return
    this.#silence?.refresh()
    if (stream.readableLength <= WAITING_BYTES_MAX) return void stream.push(text)
    this.#options.onLost()
    stream.destroy(new Error('the stream is read too slowly'))
  }

  #breakSilence(keepAlive: string): void {
    this.#silence = setInterval(() => {
      this.#begin()
      this.#write(keepAlive)
    }, SILENCE_MS)
  }
}

function framingOf({ form, mediaType }: Negotiated, invocation: Invocation, messageId: string | undefined): Framing {
  if (form === 'vercel') return new VercelFraming(invocation, messageId)
  return form === 'ndjson' ? linesFraming(mediaType) : sseFraming()
}

/** The outputs with their `messages` in the form of a user interface. */
export function withUiMessages(outputs: Json | undefined, trace_id: string): Json | undefined {
  if (!isJsonObject(outputs) || !Array.isArray(outputs.messages)) return outputs
  return { ...outputs, messages: toUiMessages(outputs.messages, `msg-${trace_id}`) }
}
