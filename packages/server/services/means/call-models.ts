import { defined, type Json, type JsonObject, type Uuid } from '@spanhouse/model'
import { attemptInTurn, type ChatReply, type ChatRequest, type Models, mockRoute, type Route } from '@spanhouse/models'
import {
  type ChatAnswer,
  type ChatConfig,
  type ChatPlan,
  type RunContext,
  RunError,
  type RunEvent,
  type SpanStart,
} from '@spanhouse/runtime'
import { ChatEvents } from './chat-events.ts'
import { modelRunError } from './model-run-error.ts'
import type { ModelRoutes } from './model-secrets.ts'

export interface ModelCalls {
  models: Models
  secrets: ModelRoutes
  project_id: Uuid
  /** The name of a canned reply that replaces the model's; a usable key is required all the same. */
  mock: string | undefined
  context: RunContext
}

/** Calls the models in order until one succeeds; see `Means.chat`. Each attempt records a span. */
export async function callModels(
  calls: ModelCalls,
  plan: ChatPlan,
  onEvent: ((event: RunEvent) => void) | undefined,
): Promise<ChatAnswer> {
  const { context } = calls
  try {
    const configs = plan.configs as readonly [ChatConfig, ...ChatConfig[]]
    const reply = await attemptInTurn(configs, { ...plan, signal: context.signal }, config =>
      attempt(calls, plan, config, onEvent),
    )
    context.finishReason = reply.finishReason
    return answerOf(reply)
  } catch (error) {
    throw modelRunError(error)
  }
}

function attempt(
  calls: ModelCalls,
  plan: ChatPlan,
  { model, connection, options }: ChatConfig,
  onEvent: ((event: RunEvent) => void) | undefined,
): Promise<ChatReply> {
  const { models, context } = calls
  const start: SpanStart = {
    name: 'llm.chat',
    type: 'chat',
    kind: 'SPAN_KIND_CLIENT',
    inputs: { prompt: [...plan.messages] },
    parameters: { model, ...options },
    asError: modelRunError,
  }
  return context.trace.during(start, async notes => {
    const found = await routeOf(calls, model, connection)
    const provider = found.kind === 'mock' ? 'mock' : found.provider
    notes.meta = { provider: { name: provider }, request: { model } }
    const events = onEvent && new ChatEvents(onEvent)
    const reply = await models.callChat(found, requestOf(plan, options, context.signal), events?.onEvent)
    const { message, finishReason, timings } = reply
    notes.outputs = { completion: [message as unknown as Json] }
    notes.tokens = tokensOf(reply)
    const answered = {
      model: reply.model,
      finish_reason: finishReason,
      first_token_ms: Math.round(timings.firstTokenMs),
    }
    notes.meta = { ...notes.meta, response: answered }
    events?.end(reply)
    return reply
  })
}

async function routeOf(
  { secrets, project_id, mock }: ModelCalls,
  model: string,
  connection: string | undefined,
): Promise<Route> {
  const found = await secrets.routeTo(project_id, model, connection)
  if (mock === undefined) return found
  const canned = mockRoute(mock)
  if (canned) return canned
  throw new RunError(400, 'v0:schemas:invalid-input', `There is no canned reply '${mock}'.`, {
    details: { path: 'mock' },
  })
}

/** Renames the options to those of the `models` package. */
function requestOf({ messages }: ChatPlan, options: JsonObject, signal: AbortSignal): ChatRequest {
  const { response_format, tools, tool_choice, ...others } = options
  return {
    messages,
    options: others,
    tools,
    toolChoice: tool_choice,
    responseFormat: response_format,
    signal,
  } as unknown as ChatRequest
}

/** The token counts in the form of `ag.metrics`; cached tokens are included in the prompt's. */
function tokensOf({ usage }: ChatReply): JsonObject | undefined {
  if (!usage) return undefined
  const { prompt, completion, total, cache_read, cache_write, reasoning } = usage
  return defined({ prompt, completion, total, cache_read, cache_creation: cache_write, reasoning })
}

const NO_USAGE = { prompt: 0, completion: 0, total: 0 }

const answerOf = ({ message, model, finishReason, usage = NO_USAGE }: ChatReply): ChatAnswer => ({
  message: message as unknown as JsonObject,
  model,
  finishReason,
  usage: { prompt: usage.prompt, completion: usage.completion, total: usage.total },
})
