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

/**
 * The UI message stream of Vercel's AI SDK, version 1: the parts of one assistant message as server-sent events
 * (contract of the runtime, section 8.7).
 */
export function vercelFraming({ session_id, trace_id }: RunIds, messageId: string | undefined): Framing {
  let hasContent = false
  let hasError = false
  /** Of all calls of the run so far. */
  let usage: Data<'usage'> | undefined
  let finishReason: string | undefined
  const toolCalls = new Map<string, ToolCall>()
  let texts = 0

  const content = (...parts: JsonObject[]): string => {
    hasContent = true
    return parts.map(sseFrame).join('')
  }
  const error = (errorText: string): string => {
    hasError = true
    return sseFrame({ type: 'error', errorText })
  }
  const block = (kind: 'text' | 'reasoning', text: string): string => {
    const id = `${kind}-${++texts}`
    return content(
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: text },
      { type: `${kind}-end`, id },
    )
  }
  const toolCall = ({ id, name, input, rawInput }: Data<'tool_call'>): string => {
    const begun = toolCalls.get(id)
    toolCalls.set(id, { name, input, isAvailable: begun?.isAvailable ?? false })
    const start = begun ? '' : content({ type: 'tool-input-start', toolCallId: id, toolName: name })
    return rawInput === undefined ? start : start + available(id)
  }
  /** A call's arguments, which are sent once: when they are known to be complete. */
  const available = (id: string): string => {
    const call = toolCalls.get(id)
    if (!call || call.isAvailable) return ''
    call.isAvailable = true
    return content({ type: 'tool-input-available', toolCallId: id, toolName: call.name, input: call.input })
  }
  const toolResult = ({ id, output, isError, denied }: Data<'tool_result'>): string => {
    if (denied) return content({ type: 'tool-output-denied', toolCallId: id })
    if (isError) return content({ type: 'tool-output-error', toolCallId: id, errorText: contentText(output) })
    return content({ type: 'tool-output-available', toolCallId: id, output })
  }
  const interactionRequest = ({ id, kind, payload }: Data<'interaction_request'>): string => {
    if (kind !== 'user_approval') return content({ type: `data-${kind}`, id, data: payload })
    const toolCallId = toolCallIdIn(payload) ?? id
    return available(toolCallId) + content({ type: 'tool-approval-request', approvalId: id, toolCallId })
  }
  const events: { [Type in RunEvent['type']]: (data: Data<Type>) => string } = {
    message: ({ text }) => block('text', text),
    message_start: ({ id }) => content({ type: 'text-start', id }),
    message_delta: ({ id, delta }) => content({ type: 'text-delta', id, delta }),
    message_end: ({ id }) => content({ type: 'text-end', id }),
    thought: ({ text }) => block('reasoning', text),
    thought_start: ({ id }) => content({ type: 'reasoning-start', id }),
    thought_delta: ({ id, delta }) => content({ type: 'reasoning-delta', id, delta }),
    thought_end: ({ id }) => content({ type: 'reasoning-end', id }),
    tool_call: toolCall,
    tool_result: result => available(result.id) + toolResult(result),
    interaction_request: interactionRequest,
    interaction_response: ({ id, kind, payload }) => content({ type: `data-${kind}`, id, data: payload }),
    data: ({ name, data, transient }) => content({ type: `data-${name}`, data, ...(transient && { transient }) }),
    file: ({ url, mediaType }) => content({ type: 'file', url, mediaType }),
    usage: data => {
      usage = added(usage, data)
      return ''
    },
    error: ({ message }) => error(message),
    done: ({ stopReason }) => {
      finishReason = FINISH_REASONS[stopReason] ?? 'unknown'
      return ''
    },
  }
  return {
    headers: HEADERS,
    keepAlive: KEEP_ALIVE,
    begin: () =>
      sseFrame({
        type: 'start',
        messageId: messageId ?? `msg-${trace_id}`,
        messageMetadata: { sessionId: session_id },
      }) + sseFrame({ type: 'start-step' }),
    event: ({ type, data }) => (events[type] as (data: RunEvent['data']) => string)(data),
    end: ({ data }) => {
      // Calls of a run that has failed may have begun only.
      const calls = hasError ? '' : [...toolCalls.keys()].map(available).join('')
      const outputs = isJsonObject(data) ? data.outputs : undefined
      const text = hasContent || hasError || outputs === undefined ? '' : contentText(outputs)
      const rest = text === '' ? '' : block('text', text)
      const nothing = hasContent || hasError ? '' : error('The run has ended without any content.')
      const messageMetadata = { traceId: trace_id, ...(usage && { usage }) }
      const reason = hasError ? 'error' : (finishReason ?? 'stop')
      const finish = { type: 'finish', finishReason: reason, messageMetadata }
      return `${calls}${rest}${nothing}${sseFrame({ type: 'finish-step' })}${sseFrame(finish)}data: [DONE]\n\n`
    },
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
