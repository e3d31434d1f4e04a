import { type Body, readMessages } from '../asked.ts'
import type { Reply, ToolCall } from '../reply.ts'
import { eventOf, tokensIn, type Wire } from './wire.ts'

const ID = 'chatcmpl-fake'
const CREATED = 1_780_000_000

/** OpenAI's chat completions, which many providers speak; Azure has the deployment in the path instead of the model. */
export const openaiChat: Wire = {
  path: /\/chat\/completions$/,
  read: (body, path) => ({
    ...readMessages(body.messages),
    model: body.model ?? /\/deployments\/([^/]+)\//.exec(path)?.[1] ?? '',
    isStream: body.stream === true,
    isUsageApart: body.stream_options?.include_usage === true,
    tools: (body.tools ?? []).flatMap((tool: Body) => tool.function ?? []),
    toolChoice: body.tool_choice?.function?.name ?? body.tool_choice ?? 'auto',
    schema: schemaOf(body.response_format),
  }),
  whole: ({ model }, reply) => ({
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message: messageOf(reply), logprobs: null, finish_reason: reply.finish }],
    usage: usageOf(reply),
  }),
  pieces: ({ model, isUsageApart }, reply) => {
    const chunk = (choices: object[], more = {}): string =>
      eventOf({ id: ID, object: 'chat.completion.chunk', created: CREATED, model, choices, ...more })
    const usage = usageOf(reply)
    // Mistral and Groq send it with the end, unasked and each in a place of its own.
    const ended = chunk(
      [{ index: 0, delta: {}, finish_reason: reply.finish }],
      isUsageApart ? {} : { usage, x_groq: { usage } },
    )
    return [
      ...deltasOf(reply).map(delta => chunk([{ index: 0, delta, finish_reason: null }])),
      ended,
      ...(isUsageApart ? [chunk([], { usage })] : []),
      'data: [DONE]\n\n',
    ]
  },
  error: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null },
  }),
}

const schemaOf = (format: Body) =>
  format?.type === 'json_schema' ? format.json_schema.schema : format?.type === 'json_object' ? null : undefined

const toolCallOf = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

function messageOf({ text, reasoning, refusal, toolCalls }: Reply): object {
  return {
    role: 'assistant',
    content: refusal || toolCalls.length > 0 ? null : text,
    refusal: refusal || null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toolCallOf) }),
  }
}

function deltasOf({ text, reasoning, refusal, toolCalls }: Reply): object[] {
  return [
    { role: 'assistant', content: toolCalls.length > 0 ? null : '' },
    ...tokensIn(reasoning).map(reasoning_content => ({ reasoning_content })),
    ...tokensIn(text).map(content => ({ content })),
    ...tokensIn(refusal).map(refusal => ({ refusal })),
    ...toolCalls.flatMap(({ arguments: input, ...call }, index) => [
      { tool_calls: [{ index, ...toolCallOf({ ...call, arguments: '' }) }] },
      ...tokensIn(input).map(part => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ]
}

const usageOf = ({ usage: { prompt, completion, cached } }: Reply): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
})
