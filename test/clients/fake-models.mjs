import { createServer } from 'node:http'
import { ANSWER, MISSING_MODEL, USAGE } from './fake-answer.mjs'
import { anthropicEvents, anthropicMessage } from './fake-anthropic.mjs'
import { bedrock, bedrockModel } from './fake-bedrock.mjs'
import { gemini, modelIn } from './fake-gemini.mjs'

export { ANSWER, MISSING_MODEL } from './fake-answer.mjs'

const usage = {
  prompt_tokens: USAGE.prompt,
  completion_tokens: USAGE.completion,
  total_tokens: USAGE.prompt + USAGE.completion,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
  completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
}

const TOOL_CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bari"}' } }

/** A model that is given tools calls the first one once. */
const callsTool = ({ messages = [], tools }) => tools?.length > 0 && messages.at(-1)?.role !== 'tool'

function chatCompletion(body) {
  const isCall = callsTool(body)
  const message = isCall
    ? { role: 'assistant', content: null, tool_calls: [TOOL_CALL] }
    : { role: 'assistant', content: body.response_format ? '{"city":"Bari","sunny":true}' : ANSWER }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1790000000,
    model: `${body.model}-2024-07-18`,
    choices: [{ index: 0, message, finish_reason: isCall ? 'tool_calls' : 'stop' }],
    usage,
  }
}

function chatChunks(body) {
  const { choices, ...rest } = chatCompletion(body)
  const [{ message, finish_reason }] = choices
  const chunk = { ...rest, object: 'chat.completion.chunk', usage: null }
  const delta = { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })) }
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ].map(one => `data: ${JSON.stringify(one)}\n\n`)
}

const responsesUsage = {
  input_tokens: USAGE.prompt,
  input_tokens_details: { cached_tokens: USAGE.cached },
  output_tokens: USAGE.completion,
  output_tokens_details: { reasoning_tokens: USAGE.reasoning },
  total_tokens: USAGE.prompt + USAGE.completion,
}

/** Before it answers a question with the tool of the provider, a model thinks and searches. */
const searches = ({ tools }) => tools?.some(({ type }) => type === 'web_search')
const SEARCH = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Bari is in the south.' }] },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'weather Bari' } },
]

function response(body) {
  const items = Array.isArray(body.input) ? body.input : []
  const isCall =
    body.tools?.some(({ type }) => type === 'function') && !items.some(({ type }) => type === 'function_call_output')
  const output = isCall
    ? {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'weather',
        namespace: body.tools.find(tool => tool.tools?.some(({ name }) => name === 'weather'))?.name,
        arguments: '{"city":"Bari"}',
        status: 'completed',
      }
    : {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
      }
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1790000000,
    status: 'completed',
    model: `${body.model}-2024-07-18`,
    output: [...(searches(body) ? SEARCH : []), output],
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: body.tools ?? [],
    usage: responsesUsage,
  }
}

const embeddings = ({ input, model }) => ({
  object: 'list',
  model,
  data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0.5, 0.25] })),
  usage: { prompt_tokens: 8, total_tokens: 8 },
})

const ranking = ({ documents }) => ({
  id: 'rerank_1',
  results: documents.map((_, index) => ({ index: documents.length - 1 - index, relevance_score: 0.5 / (index + 1) })),
  meta: {},
})

const ENDPOINTS = {
  '/v1/chat/completions': chatCompletion,
  '/v1/responses': response,
  '/v1/messages': anthropicMessage,
  '/v1/embeddings': embeddings,
  '/v2/rerank': ranking,
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

async function answer(request, reply) {
  if (request.method === 'GET') return reply.end('{"chat":{},"embeddings":{}}')
  const body = await bodyOf(request)
  const path = new URL(request.url, 'http://model').pathname
  const model = body.model ?? modelIn(path) ?? bedrockModel(path)
  const content =
    model === MISSING_MODEL ? undefined : (ENDPOINTS[path]?.(body) ?? gemini(path, body) ?? bedrock(path, body))
  if (!content) {
    reply.writeHead(404, { 'content-type': 'application/json' })
    const error = { type: 'not_found_error', code: 'model_not_found', message: 'No such model' }
    return reply.end(JSON.stringify({ type: 'error', error }))
  }
  if (body.stream && path === '/v1/chat/completions') {
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chatChunks(body)) reply.write(chunk)
    return reply.end('data: [DONE]\n\n')
  }
  if (body.stream && path === '/v1/messages') {
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of anthropicEvents(body)) reply.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    return reply.end()
  }
  if (body.stream && path === '/v1/responses') {
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    const all = response(body)
    for (const event of [
      { type: 'response.created', response: { ...all, output: [], status: 'in_progress', usage: null } },
      ...all.output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
      { type: 'response.completed', response: all },
    ])
      reply.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    return reply.end()
  }
  if (Array.isArray(content)) {
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    return reply.end(content.map(chunk => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(''))
  }
  reply.writeHead(200, { 'content-type': 'application/json' })
  reply.end(JSON.stringify(content))
}

/** Starts a server that responds like the APIs of OpenAI, Anthropic, Gemini and Bedrock, always with the same answer. */
export async function startModels() {
  const server = createServer((request, reply) => {
    answer(request, reply).catch(error => {
      reply.writeHead(500)
      reply.end(String(error))
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${server.address().port}`
}
