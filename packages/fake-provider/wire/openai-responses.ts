import { type Body, readMessages } from '../asked.ts'
import type { Reply } from '../reply.ts'
import { eventOf, tokensIn, type Wire } from './wire.ts'

const ID = 'resp_fake'

/** OpenAI's responses, as far as a text and calls of functions need it. */
export const openaiResponses: Wire = {
  path: /\/responses$/,
  read: body => ({
    ...readMessages(typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input),
    model: body.model,
    isStream: body.stream === true,
    tools: (body.tools ?? []).filter((tool: Body) => tool.type === 'function'),
    toolChoice: body.tool_choice?.name ?? body.tool_choice ?? 'auto',
    schema: body.text?.format?.type === 'json_schema' ? body.text.format.schema : undefined,
  }),
  whole: ({ model }, reply) => ({
    id: ID,
    object: 'response',
    created_at: 1_780_000_000,
    status: 'completed',
    model,
    output: itemsOf(reply),
    usage: usageOf(reply),
  }),
  pieces: (asked, reply) => {
    const response = openaiResponses.whole(asked, reply)
    const event = (type: string, data: object): string => eventOf({ type, ...data }, type)
    return [
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...itemsOf(reply).flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: { ...item, content: [], arguments: '' } }),
        ...deltasOf(item).map(([type, delta]) =>
          event(type, { item_id: item.id, output_index, content_index: 0, delta }),
        ),
        event('response.output_item.done', { output_index, item }),
      ]),
      event('response.completed', { response }),
    ]
  },
  error: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null },
  }),
}

interface Item {
  type: 'message' | 'function_call'
  id: string
  [member: string]: unknown
}

function itemsOf({ text, toolCalls }: Reply): Item[] {
  const calls = toolCalls.map(
    ({ id, name, arguments: input }): Item => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: input,
      status: 'completed',
    }),
  )
  const content = [{ type: 'output_text', text, annotations: [] }]
  return text ? [{ type: 'message', id: 'msg_fake', role: 'assistant', status: 'completed', content }, ...calls] : calls
}

const deltasOf = (item: Item): [type: string, delta: string][] =>
  item.type === 'message'
    ? tokensIn((item.content as { text: string }[])[0]?.text ?? '').map(token => ['response.output_text.delta', token])
    : tokensIn(item.arguments as string).map(token => ['response.function_call_arguments.delta', token])

const usageOf = ({ usage: { prompt, completion, cached } }: Reply): object => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: completion,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: prompt + completion,
})
