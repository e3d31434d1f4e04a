import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { RunEvent } from '@spanhouse/runtime'
import type { RunIds } from './envelope.ts'
import { AT_ONCE_SSE, type Framing, KEEP_ALIVE, sseFrame } from './framing.ts'
import { contentText } from './ui-messages.ts'

const HEADERS = {
  ...AT_ONCE_SSE,
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-ag-messages-format': 'vercel',
  'x-ag-messages-version': 'v1',
} as const

/** Finish reasons of models, and the names that user interfaces have for them. */
const FINISH_REASONS: Record<string, string> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  tool_calls: 'tool-calls',
  'tool-calls': 'tool-calls',
  refusal: 'content-filter',
  content_filter: 'content-filter',
  'content-filter': 'content-filter',
  paused: 'other',
  cancelled: 'other',
  other: 'other',
  error: 'error',
}

/**
 * A call that has begun, with its latest arguments. An event without `rawInput` does not say whether they are complete.
 */
interface ToolCall {
  name: string
  input: Json
  isAvailable: boolean
}

type Data<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>['data']

type Texts = { [Type in RunEvent['type']]: (data: Data<Type>) => string }

/**
 * The UI message stream of Vercel's AI SDK, version 1: the parts of one assistant message as server-sent events
 * (contract of the runtime, section 8.7).
 */
export class VercelFraming implements Framing {
  readonly headers = HEADERS
  readonly keepAlive = KEEP_ALIVE
  readonly #ids: RunIds
  readonly #messageId: string
  readonly #toolCalls = new Map<string, ToolCall>()
  /** How many texts and thoughts were sent whole. */
  #blocks = 0
  #hasContent = false
  #hasError = false
  /** Of all calls of the run so far. */
  #usage: Data<'usage'> | undefined
  #finishReason: string | undefined

  /** `messageId`: of the message that the response continues; by default it is a new one. */
  constructor(ids: RunIds, messageId = `msg-${ids.trace_id}`) {
    this.#ids = ids
    this.#messageId = messageId
  }

  begin(): string {
    const messageMetadata = { sessionId: this.#ids.session_id }
    return sseFrame({ type: 'start', messageId: this.#messageId, messageMetadata }) + sseFrame({ type: 'start-step' })
  }

  event({ type, data }: RunEvent): string {
    return (this.#texts[type] as (data: RunEvent['data']) => string)(data)
  }

  end({ data }: JsonObject): string {
    // Calls of a run that has failed may have begun only.
    const calls = this.#hasError ? '' : [...this.#toolCalls.keys()].map(id => this.#available(id)).join('')
    const outputs = isJsonObject(data) ? data.outputs : undefined
    const text = this.#hasContent || this.#hasError || outputs === undefined ? '' : contentText(outputs)
    const rest = text === '' ? '' : this.#block('text', text)
    const nothing = this.#hasContent || this.#hasError ? '' : this.#error('The run has ended without any content.')
    const messageMetadata = { traceId: this.#ids.trace_id, ...(this.#usage && { usage: this.#usage }) }
    const finishReason = this.#hasError ? 'error' : (this.#finishReason ?? 'stop')
    const finish = { type: 'finish', finishReason, messageMetadata }
    return `${calls}${rest}${nothing}${sseFrame({ type: 'finish-step' })}${sseFrame(finish)}data: [DONE]\n\n`
  }

  readonly #texts: Texts = {
    message: ({ text }) => this.#block('text', text),
    message_start: ({ id }) => this.#content({ type: 'text-start', id }),
    message_delta: ({ id, delta }) => this.#content({ type: 'text-delta', id, delta }),
    message_end: ({ id }) => this.#content({ type: 'text-end', id }),
    thought: ({ text }) => this.#block('reasoning', text),
    thought_start: ({ id }) => this.#content({ type: 'reasoning-start', id }),
    thought_delta: ({ id, delta }) => this.#content({ type: 'reasoning-delta', id, delta }),
    thought_end: ({ id }) => this.#content({ type: 'reasoning-end', id }),
    tool_call: call => this.#toolCall(call),
    tool_result: result => this.#available(result.id) + this.#toolResult(result),
    interaction_request: request => this.#interactionRequest(request),
    interaction_response: ({ id, kind, payload }) => this.#content({ type: `data-${kind}`, id, data: payload }),
    data: ({ name, data, transient }) => this.#content({ type: `data-${name}`, data, ...(transient && { transient }) }),
    file: ({ url, mediaType }) => this.#content({ type: 'file', url, mediaType }),
    usage: data => {
      this.#usage = added(this.#usage, data)
      return ''
    },
    error: ({ message }) => this.#error(message),
    done: ({ stopReason }) => {
      this.#finishReason = FINISH_REASONS[stopReason] ?? 'unknown'
      return ''
    },
  }

  #content(...parts: JsonObject[]): string {
    this.#hasContent = true
    return parts.map(sseFrame).join('')
  }

  #error(errorText: string): string {
    this.#hasError = true
    return sseFrame({ type: 'error', errorText })
  }

  #block(kind: 'text' | 'reasoning', text: string): string {
    const id = `${kind}-${++this.#blocks}`
    return this.#content(
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: text },
      { type: `${kind}-end`, id },
    )
  }

  #toolCall({ id, name, input, rawInput }: Data<'tool_call'>): string {
    const begun = this.#toolCalls.get(id)
    this.#toolCalls.set(id, { name, input, isAvailable: begun?.isAvailable ?? false })
    const start = begun ? '' : this.#content({ type: 'tool-input-start', toolCallId: id, toolName: name })
    return rawInput === undefined ? start : start + this.#available(id)
  }

  /** A call's arguments, which are sent once: when they are known to be complete. */
  #available(id: string): string {
    const call = this.#toolCalls.get(id)
    if (!call || call.isAvailable) return ''
    call.isAvailable = true
    return this.#content({ type: 'tool-input-available', toolCallId: id, toolName: call.name, input: call.input })
  }

  #toolResult({ id, output, isError, denied }: Data<'tool_result'>): string {
    if (denied) return this.#content({ type: 'tool-output-denied', toolCallId: id })
    if (isError) return this.#content({ type: 'tool-output-error', toolCallId: id, errorText: contentText(output) })
    return this.#content({ type: 'tool-output-available', toolCallId: id, output })
  }

  #interactionRequest({ id, kind, payload }: Data<'interaction_request'>): string {
    if (kind !== 'user_approval') return this.#content({ type: `data-${kind}`, id, data: payload })
    const toolCallId = toolCallIdIn(payload) ?? id
    return this.#available(toolCallId) + this.#content({ type: 'tool-approval-request', approvalId: id, toolCallId })
  }
}

function added(before: Data<'usage'> = {}, more: Data<'usage'>): Data<'usage'> {
  const names = ['input', 'output', 'total', 'cost'] as const
  const sums = names
    .filter(name => name in before || name in more)
    .map(name => [name, (before[name] ?? 0) + (more[name] ?? 0)])
  return Object.fromEntries(sums)
}

const toolCallIdIn = (payload: Json): string | undefined =>
  isJsonObject(payload) && typeof payload.toolCallId === 'string' ? payload.toolCallId : undefined
