import type { JsonObject, SpanEvent } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { spanOf } from './drafts.testing.ts'
import { agOf } from './recognised.testing.ts'

const json = JSON.stringify
const QUESTION = { role: 'user', content: 'Rain?' }

describe('Google ADK', () => {
  const ADK = 'gcp.vertex.agent.'
  const call = { name: 'weather', args: { city: 'Bari' } }
  const answer = { id: 'c1', name: 'weather', response: { sunny: true } }
  const CONVERSATION = {
    tools: [{ functionDeclarations: [{ name: 'weather' }] }],
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Rain?' }, { inlineData: { data: 'AA==' } }] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: { city: 'Bari' } } }],
      },
      { role: 'tool', content: { sunny: true }, tool_call_id: 'c1', name: 'weather' },
    ],
  }
  const TOKENS = { prompt: 140, completion: 24, total: 164, cache_read: 100, reasoning: 8 }

  test('a call of a model, as the packages for JavaScript and Python send it', () => {
    const contentsWith = (callName: string, answerName: string, dataName: string): JsonObject[] => [
      { role: 'user', parts: [{ text: 'Rain?' }, { [dataName]: { data: 'AA==' } }] },
      { role: 'model', parts: [{ text: 'hm', thought: true }, { [callName]: call }] },
      { role: 'user', parts: [{ [answerName]: answer }] },
    ]
    const content = { role: 'model', parts: [{ text: 'No.' }] }
    const inJavaScript = agOf({
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.usage.input_tokens': 140,
      'gen_ai.usage.output_tokens': 16,
      [`${ADK}session_id`]: 'chat-42',
      [`${ADK}llm_request`]: json({
        contents: contentsWith('functionCall', 'functionResponse', 'inlineData'),
        config: { systemInstruction: 'Be brief.', tools: CONVERSATION.tools },
      }),
      [`${ADK}llm_response`]: json({
        content,
        usageMetadata: {
          promptTokenCount: 140,
          cachedContentTokenCount: 100,
          candidatesTokenCount: 16,
          thoughtsTokenCount: 8,
          totalTokenCount: 164,
        },
      }),
    })
    const expected = {
      type: { span: 'chat' },
      session: { id: 'chat-42' },
      data: { inputs: CONVERSATION, outputs: { completion: [{ role: 'assistant', content: 'No.' }] } },
      metrics: { tokens: { incremental: TOKENS } },
    }
    expect(inJavaScript).toMatchObject(expected)
    const inPython = agOf({
      [`${ADK}session_id`]: 'chat-42',
      [`${ADK}llm_request`]: json({
        contents: contentsWith('function_call', 'function_response', 'inlineData'),
        config: { system_instruction: { parts: [{ text: 'Be brief.' }] }, tools: CONVERSATION.tools },
      }),
      [`${ADK}llm_response`]: json({
        content,
        usage_metadata: {
          prompt_token_count: 140,
          cached_content_token_count: 100,
          candidates_token_count: 16,
          thoughts_token_count: 8,
          total_token_count: 164,
        },
      }),
    })
    expect(inPython).toMatchObject(expected)
  })

  test('a tool', () => {
    const sent = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      [`${ADK}llm_request`]: '{}',
      [`${ADK}llm_response`]: '{}',
      [`${ADK}tool_call_args`]: '{"city":"Bari"}',
      [`${ADK}tool_response`]: '{"sunny":true}',
    }
    expect(agOf(sent)).toMatchObject({
      type: { span: 'tool' },
      data: { inputs: { name: 'weather', arguments: { city: 'Bari' } }, outputs: { sunny: true } },
    })
  })

  test('content that is not recorded, or cut', () => {
    const sent = {
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.usage.input_tokens': 140,
      [`${ADK}llm_request`]: '{}',
      [`${ADK}llm_response`]: '{"content":{"parts":[{"te',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'chat' },
      meta: { request: { model: 'gemini-2.5-flash' } },
      metrics: { tokens: { incremental: { prompt: 140, total: 140 } } },
    })
  })
})

describe('VoltAgent', () => {
  const common = { 'entity.type': 'agent', 'operation.id': 'o1', 'conversation.id': 'chat-42', 'user.id': 'ada' }

  test('the run of an agent repeats the usage of its calls', () => {
    const usage = { 'usage.prompt_tokens': 280, 'usage.completion_tokens': 48, 'usage.cached_tokens': 200 }
    const sent = { ...common, ...usage, input: 'Rain?', output: 'No.' }
    expect(agOf(sent)).toEqual({
      type: { span: 'agent' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: { inputs: { input: 'Rain?' }, outputs: 'No.' },
      metrics: { tokens: { incremental: { prompt: 280, completion: 48, cache_read: 200, total: 328 } } },
    })
    expect(spanOf(sent, { isInstrumented: true }).repeats_usage).toBe(true)
  })

  test('a call of a model', () => {
    const sent = {
      ...common,
      'span.type': 'llm',
      'llm.model': 'm',
      'llm.messages': json([QUESTION]),
      'llm.messages.count': 1,
      'llm.tools': 'weather,news',
      'llm.tools.count': 2,
      'llm.usage.prompt_tokens': 140,
      'llm.usage.total_tokens': 164,
      'usage.prompt_context.total_tokens_estimated': 50,
    }
    expect(agOf(sent)).toMatchObject({
      type: { span: 'chat' },
      meta: { request: { model: 'm' } },
      data: { inputs: { prompt: [QUESTION], tools: ['weather', 'news'] } },
      metrics: { tokens: { incremental: { prompt: 140, total: 164 } } },
    })
    expect(spanOf(sent, { isInstrumented: true }).repeats_usage).toBeUndefined()
  })

  test.each([
    ['tool', 'tool'],
    ['retriever', 'query'],
    ['memory', 'task'],
  ])('%s', (kind, span) => {
    const sent = { ...common, 'span.type': kind, input: '{"city":"Bari"}', output: '{"sunny":true}' }
    expect(agOf(sent)).toMatchObject({
      type: { span },
      data: { inputs: { city: 'Bari' }, outputs: { sunny: true } },
    })
  })

  test('the same words in the spans of others mean nothing', () => {
    expect(agOf({ input: 'Rain?', output: 'No.', 'conversation.id': 'c', 'usage.prompt_tokens': 5 })).toEqual({})
    expect(agOf({ 'entity.type': 'agent', input: 'Rain?' })).toEqual({})
  })
})

describe('Claude Code', () => {
  test('a prompt', () => {
    const sent = { 'span.type': 'interaction', 'gen_ai.operation.name': 'invoke_agent', user_prompt: 'Rain?' }
    expect(agOf(sent).data).toEqual({ inputs: { prompt: [QUESTION] } })
  })

  test('the output of a tool is in an event', () => {
    const sent = { 'span.type': 'tool', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' }
    const events = [{ name: 'tool.output', timestamp: 1, attributes: { output: 'sunny' } }]
    expect(spanOf(sent, { isInstrumented: true, events }).attributes.ag).toMatchObject({
      type: { span: 'tool' },
      data: { inputs: { name: 'weather' }, outputs: 'sunny' },
    })
  })
})

describe('Codex', () => {
  test('a turn, whose sum of what its calls used is not counted again', () => {
    const turn = { 'codex.turn.reasoning_effort': 'default', 'thread.id': 't-1', 'turn.id': 'u-1', model: 'gpt-4o' }
    expect(agOf({ ...turn, 'codex.turn.token_usage.total_tokens': 328 })).toEqual({
      type: { span: 'agent' },
      session: { id: 't-1' },
      meta: { request: { model: 'gpt-4o' } },
    })
  })

  test('only the span that ends a call is one', () => {
    const usage = { 'gen_ai.usage.input_tokens': 140, 'gen_ai.usage.output_tokens': 24 }
    const sent = { ...usage, 'codex.usage.total_tokens': 164, 'codex.usage.reasoning_output_tokens': 8 }
    const tokens = { prompt: 140, completion: 24, total: 164, reasoning: 8 }
    expect(agOf(sent)).toMatchObject({ type: { span: 'chat' }, metrics: { tokens: { incremental: tokens } } })
    expect(agOf({ 'codex.request.reasoning_effort': 'default' })).not.toHaveProperty('type.span')
  })

  test('a tool', () => {
    const sent = { tool_name: 'weather', call_id: 'c1', 'conversation.id': 't-1', 'codex.tool.phase': 'dispatch' }
    expect(agOf(sent)).toMatchObject({
      type: { span: 'tool' },
      session: { id: 't-1' },
      data: { inputs: { name: 'weather' } },
      meta: { tool: { name: 'weather', call: { id: 'c1' } } },
    })
  })
})

describe('Gemini CLI', () => {
  const GEMINI = { 'gen_ai.agent.name': 'gemini-cli' }
  const call = { callId: 'c1', name: 'weather', args: { city: 'Bari' }, prompt_id: 'p1' }
  const responseParts = [{ functionResponse: { id: 'c1', name: 'weather', response: { output: 'sunny' } } }]
  const done = { request: call, status: 'success', response: { responseParts, resultDisplay: 'sunny' } }
  const function_ = { name: 'weather', arguments: { city: 'Bari' } }
  const tool_calls = [{ id: 'c1', type: 'function', function: function_ }]

  test('a call of a model', () => {
    const sent = {
      ...GEMINI,
      'gen_ai.operation.name': 'llm_call',
      'gen_ai.system_instructions': '"Be brief."',
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ text: 'Rain?' }] }]),
      'gen_ai.output.messages': json([
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'weather', args: call.args } }] },
      ]),
    }
    expect(agOf(sent)).toMatchObject({
      type: { span: 'chat' },
      data: {
        inputs: { prompt: [{ role: 'system', content: 'Be brief.' }, QUESTION] },
        outputs: { completion: [{ role: 'assistant', content: '', tool_calls }] },
      },
    })
  })

  test('a tool', () => {
    const sent = {
      ...GEMINI,
      'gen_ai.operation.name': 'tool_call',
      'gen_ai.tool.name': 'weather',
      'gen_ai.input.messages': json(call),
      'gen_ai.output.messages': json(done),
    }
    expect(agOf(sent)).toMatchObject({
      type: { span: 'tool' },
      data: { inputs: { name: 'weather', arguments: { city: 'Bari' } }, outputs: 'sunny' },
    })
  })

  test('the calls of a response', () => {
    const sent = {
      ...GEMINI,
      'gen_ai.operation.name': 'schedule_tool_calls',
      'gen_ai.input.messages': json([call]),
      'gen_ai.output.messages': json([done]),
    }
    const result = { role: 'tool', content: { output: 'sunny' }, tool_call_id: 'c1', name: 'weather' }
    expect(agOf(sent).data).toEqual({
      inputs: { prompt: [{ role: 'assistant', content: '', tool_calls }] },
      outputs: { completion: [result] },
    })
  })

  test('the same operation of another agent is none of its', () => {
    const other = agOf({ 'gen_ai.agent.name': 'other', 'gen_ai.operation.name': 'llm_call' })
    expect(other).not.toHaveProperty('type.span', 'chat')
  })
})

describe('Sentry', () => {
  const chat = { 'gen_ai.operation.name': 'chat' }

  test.each<[string, JsonObject, JsonObject]>([
    ['texts', { 'gen_ai.response.text': '["It","rains."]' }, { content: 'It\nrains.' }],
    ['a text', { 'gen_ai.response.text': 'It rains.' }, { content: 'It rains.' }],
    [
      'calls of tools',
      { 'gen_ai.response.text': '[""]', 'gen_ai.response.tool_calls': '[{"id":"c1"}]' },
      { content: '', tool_calls: [{ id: 'c1' }] },
    ],
    [
      'items of a response',
      {
        'gen_ai.response.tool_calls': json([
          { type: 'message', content: [{ type: 'output_text', text: 'It rains.' }] },
          { type: 'function_call', name: 'weather' },
        ]),
      },
      { content: 'It rains.', tool_calls: [{ type: 'function_call', name: 'weather' }] },
    ],
  ])('outputs: %s', (_, sent, message) => {
    const { data } = agOf({ ...chat, ...sent })
    expect(data).toEqual({ outputs: { completion: [{ role: 'assistant', ...message }] } })
  })

  test('inputs', () => {
    const sent = {
      ...chat,
      'gen_ai.input.messages': 'Rain?',
      'gen_ai.request.available_tools': '[{"name":"weather"}]',
      'gen_ai.response.finish_reasons': '["stop"]',
    }
    expect(agOf(sent)).toMatchObject({
      meta: { response: { finish_reasons: ['stop'] } },
      data: { inputs: { prompt: [QUESTION], tools: [{ name: 'weather' }] } },
    })
  })

  test('messages that were cut are no question', () => {
    expect(agOf({ ...chat, 'gen_ai.input.messages': '[{"role":"us' }).data).toBeUndefined()
  })

  test('a tool', () => {
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' }
    const sent = { ...tool, 'gen_ai.tool.input': '{"city":"Bari"}', 'gen_ai.tool.output': 'sunny' }
    expect(agOf(sent).data).toEqual({ inputs: { name: 'weather', arguments: { city: 'Bari' } }, outputs: 'sunny' })
  })
})

describe('TanStack AI', () => {
  test('the span of a whole chat repeats the usage of its iterations', () => {
    const sent = { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 280, 'tanstack.ai.iterations': 2 }
    expect(spanOf(sent, { isInstrumented: true })).toMatchObject({ span_type: 'task', repeats_usage: true })
  })

  test('a tool', () => {
    const sent = { 'gen_ai.tool.name': 'weather', 'tanstack.ai.tool.outcome': 'success' }
    expect(agOf(sent)).toMatchObject({ type: { span: 'tool' }, data: { inputs: { name: 'weather' } } })
  })
})

describe('Ax', () => {
  test('usage is in an event, and messages are without what was said', () => {
    const sent = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.total_tokens': 164 }
    const usage = { 'gen_ai.usage.input_tokens': 140, 'gen_ai.usage.output_tokens': 24, 'gen_ai.usage.total_tokens': 1 }
    const events: SpanEvent[] = [
      { name: 'gen_ai.user.message', timestamp: 1, attributes: { part_count: 1 } },
      { name: 'gen_ai.usage', timestamp: 1, attributes: usage },
      { name: 'gen_ai.choice', timestamp: 1, attributes: { finish_reason: 'stop', index: 0 } },
    ]
    const { ag } = spanOf(sent, { isInstrumented: true, events }).attributes
    expect(ag).toMatchObject({
      data: {},
      metrics: { tokens: { incremental: { prompt: 140, completion: 24, total: 164 } } },
    })
    expect((ag as JsonObject).data).toEqual({})
  })
})

describe('Langfuse', () => {
  const OBSERVATION = 'langfuse.observation.'

  test('a generation', () => {
    const sent = {
      [`${OBSERVATION}type`]: 'generation',
      [`${OBSERVATION}input`]: json([QUESTION]),
      [`${OBSERVATION}output`]: '{"role":"assistant","content":"No."}',
      [`${OBSERVATION}model.name`]: 'm',
      [`${OBSERVATION}model.parameters`]: '{"temperature":0}',
      [`${OBSERVATION}metadata.a`]: 1,
      [`${OBSERVATION}metadata.b`]: '{"c":2}',
      [`${OBSERVATION}prompt.name`]: 'greeting',
      [`${OBSERVATION}prompt.version`]: 3,
      [`${OBSERVATION}level`]: 'WARNING',
      [`${OBSERVATION}status_message`]: 'slow',
      [`${OBSERVATION}completion_start_time`]: '"2026-11-29T00:00:00.000Z"',
      [`${OBSERVATION}usage_details`]: '{"input":140,"output":24}',
      'langfuse.environment': 'production',
      'langfuse.release': 'r1',
      'langfuse.version': 'v2',
      'langfuse.session.id': 'chat-42',
      'langfuse.user.id': 'ada',
      'langfuse.trace.name': 'forecast',
      'langfuse.trace.tags': ['weather'],
      'langfuse.trace.public': true,
      'langfuse.trace.metadata.d': 4,
      'langfuse.trace.metadata.e': '[5]',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'chat' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: {
        inputs: { prompt: [QUESTION] },
        outputs: { role: 'assistant', content: 'No.' },
        parameters: { temperature: 0 },
      },
      meta: {
        response: { model: 'm' },
        prompt: { name: 'greeting', version: 3 },
        metadata: { a: 1, b: { c: 2 } },
        level: 'WARNING',
        status_message: 'slow',
        completion_start_time: '2026-11-29T00:00:00.000Z',
        environment: 'production',
        release: 'r1',
        version: 'v2',
        tags: ['weather'],
        trace: { name: 'forecast', public: true, metadata: { d: 4, e: [5] } },
      },
      metrics: { tokens: { incremental: { prompt: 140, completion: 24, total: 164 } } },
    })
  })

  test('tokens written to a cache, by how long they stay, as the callbacks for LangChain in Python send them', () => {
    const usage = {
      input: 100,
      output: 240,
      total: 1640,
      input_cache_read: 1000,
      input_cache_creation: 0,
      input_ephemeral_5m_input_tokens: 200,
      input_ephemeral_1h_input_tokens: 100,
    }
    expect(agOf({ [`${OBSERVATION}usage_details`]: json(usage) }).metrics).toEqual({
      tokens: { incremental: { prompt: 1400, completion: 240, total: 1640, cache_read: 1000, cache_creation: 300 } },
    })
  })

  test('metadata may be one text', () => {
    const sent = { [`${OBSERVATION}metadata`]: '{"a":1}', 'langfuse.trace.metadata': '{"d":4}' }
    expect(agOf(sent)).toEqual({ meta: { metadata: { a: 1 }, trace: { metadata: { d: 4 } } } })
  })

  test('the data of a trace is that of its root, unless that has its own', () => {
    const trace = { 'langfuse.trace.input': '"Rain?"', 'langfuse.trace.output': '{"sunny":true}' }
    expect(agOf(trace).data).toEqual({ inputs: { input: '"Rain?"' }, outputs: { sunny: true } })
    const own = { [`${OBSERVATION}type`]: 'span', [`${OBSERVATION}input`]: '{"a":1}', [`${OBSERVATION}output`]: 'b' }
    expect(agOf({ ...trace, ...own })).toEqual({ type: { span: 'task' }, data: { inputs: { a: 1 }, outputs: 'b' } })
  })
})

describe('Genkit', () => {
  test('a tool', () => {
    const sent = {
      'genkit:metadata:subtype': 'tool',
      'genkit:name': 'weather',
      'genkit:input': '{"city":"Bari"}',
      'genkit:output': '"sunny"',
      'genkit:sessionId': 'chat-42',
      'genkit:path': '/{forecast,t:flow}/{weather,t:action,s:tool}',
      'genkit:state': 'success',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'tool' },
      session: { id: 'chat-42' },
      data: { inputs: { city: 'Bari' }, outputs: 'sunny' },
      meta: { tool: { name: 'weather' }, path: sent['genkit:path'], state: 'success' },
    })
  })

  test('cached tokens of a provider whose response is kept', () => {
    const model = { 'genkit:type': 'action', 'genkit:metadata:subtype': 'model', 'genkit:name': 'openai/gpt-4o-mini' }
    const usage = {
      prompt_tokens: 1400,
      completion_tokens: 240,
      total_tokens: 1640,
      prompt_tokens_details: { cached_tokens: 1000 },
      completion_tokens_details: { reasoning_tokens: 80 },
    }
    const sent = { usage: { inputTokens: 1400, outputTokens: 240, totalTokens: 1640 }, raw: { usage } }
    expect(agOf({ ...model, 'genkit:output': json(sent) }).metrics).toEqual({
      tokens: { incremental: { prompt: 1400, completion: 240, total: 1640, cache_read: 1000, reasoning: 80 } },
    })
  })

  test('a flow, and a model without usage', () => {
    const flow = { 'genkit:type': 'flow', 'genkit:name': 'forecast', 'genkit:input': '"Rain?"' }
    expect(agOf(flow)).toEqual({ type: { span: 'workflow' }, data: { inputs: { input: 'Rain?' } } })
    const model = { 'genkit:type': 'action', 'genkit:metadata:subtype': 'model', 'genkit:name': 'm' }
    for (const output of ['{}', '"No."', '{"usage":null}'])
      expect(agOf({ ...model, 'genkit:output': output })).toEqual({
        type: { span: 'chat' },
        data: { outputs: JSON.parse(output) },
        meta: { request: { model: 'm' } },
      })
  })
})

describe('Mastra', () => {
  test('a tool', () => {
    const sent = {
      'mastra.span.type': 'tool_call',
      'mastra.tool_call.input': '{"city":"Bari"}',
      'mastra.tool_call.output': '{"sunny":true}',
      'mastra.agent_run.input': 'of another span',
      'mastra.metadata.threadId': 'chat-42',
      'mastra.metadata.userId': 'ada',
      'mastra.metadata.plan': '{"a":1}',
      'mastra.tags': '["weather"]',
      'mastra.completion_start_time': '2026-11-29T00:00:00.000Z',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'tool' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: { inputs: { city: 'Bari' }, outputs: { sunny: true } },
      meta: {
        metadata: { plan: { a: 1 } },
        tags: ['weather'],
        completion_start_time: '2026-11-29T00:00:00.000Z',
      },
    })
    const cut = { 'mastra.span.type': 'agent_run', 'mastra.agent_run.input': '{"cit', 'mastra.agent_run.output': '[tr' }
    expect(agOf(cut).data).toEqual({ inputs: { input: '{"cit' }, outputs: '[tr' })
    expect(agOf({ 'mastra.metadata.sessionId': 'chat-43' })).toEqual({ session: { id: 'chat-43' } })
  })
})

describe('LangSmith', () => {
  test('a call of a model', () => {
    const details = { cache_read: 100, cache_creation: 10, audio: 4 }
    const sent = {
      'langsmith.span.kind': 'llm',
      'langsmith.span.tags': 'weather, rain',
      'langsmith.metadata.thread_id': 'chat-42',
      'langsmith.metadata.user_id': 'ada',
      'langsmith.metadata.plan': '{"a":1}',
      'gen_ai.prompt': json([QUESTION]),
      'gen_ai.completion': '{"role":"assistant"}',
    }
    const expected = {
      type: { span: 'chat' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: { inputs: { prompt: [QUESTION] }, outputs: { role: 'assistant' } },
      meta: { tags: 'weather, rain', metadata: { plan: { a: 1 } } },
    }
    const parts = { cache_read: 100, cache_creation: 10, reasoning: 8 }
    const audio = { prompt_details: { audio: 4 }, completion_details: { audio: 2 } }
    const incremental = { prompt: 140, completion: 24, total: 164, ...parts, ...audio }
    const usage = { input_tokens: 140, output_tokens: 24, total_tokens: 164 }
    const output = { reasoning: 8, audio: 2 }
    const together = json({ ...usage, input_token_details: details, output_token_details: output })
    expect(agOf({ ...sent, 'langsmith.usage_metadata': together })).toEqual({
      ...expected,
      metrics: { tokens: { incremental } },
    })
    const apart = {
      'gen_ai.usage.input_tokens': 140,
      'gen_ai.usage.output_tokens': 24,
      'gen_ai.usage.total_tokens': 164,
      'gen_ai.usage.input_token_details': json(details),
      'gen_ai.usage.output_token_details': json(output),
    }
    expect(agOf({ ...sent, ...apart })).toEqual({ ...expected, metrics: { tokens: { incremental } } })
  })

  test('tokens written to a cache, by how long they stay', () => {
    const details = { cache_read: 1000, ephemeral_5m_input_tokens: 200, ephemeral_1hr_input_tokens: 100 }
    const usage = { input_tokens: 1400, output_tokens: 240, total_tokens: 1640, input_token_details: details }
    expect(agOf({ 'langsmith.usage_metadata': json(usage) }).metrics).toEqual({
      tokens: { incremental: { prompt: 1400, completion: 240, total: 1640, cache_read: 1000, cache_creation: 300 } },
    })
  })

  test.each([
    ['retriever', 'embeddings', 'query'],
    ['prompt', 'chat', 'task'],
    ['llm', 'chat', 'chat'],
  ])('the kind %s, whose operation is named %s', (kind, operation, type) => {
    expect(agOf({ 'langsmith.span.kind': kind, 'gen_ai.operation.name': operation }).type).toEqual({ span: type })
  })
})

describe('LangWatch', () => {
  const value = (type: string, of: unknown): string => json({ type, value: of })

  test.each<[string, string, unknown, unknown]>([
    ['messages', value('chat_messages', [QUESTION]), { prompt: [QUESTION] }, { completion: [QUESTION] }],
    ['a text', value('text', 'Rain?'), { input: 'Rain?' }, 'Rain?'],
    ['a text that is JSON', value('text', '{"a":1}'), { input: '{"a":1}' }, '{"a":1}'],
    ['an object', value('json', { type: 'a' }), { type: 'a' }, { type: 'a' }],
    [
      'a list',
      value('list', [
        { type: 'text', value: 'a' },
        { type: 'json', value: 1 },
      ]),
      { input: ['a', 1] },
      ['a', 1],
    ],
    [
      'a list of messages',
      value('list', [{ type: 'chat_messages', value: [QUESTION] }]),
      { prompt: [QUESTION] },
      { completion: [QUESTION] },
    ],
    ['no kind', '{"a":1}', { a: 1 }, { a: 1 }],
    ['a text alone', 'Rain?', { input: 'Rain?' }, 'Rain?'],
  ])('%s', (_, sent, inputs, outputs) => {
    expect(agOf({ 'langwatch.input': sent, 'langwatch.output': sent }).data).toEqual({ inputs, outputs })
  })

  test('what a call used', () => {
    const metrics = { promptTokens: 140, completionTokens: 24, cost: 0.25 }
    const expected = {
      tokens: { incremental: { prompt: 140, completion: 24, total: 164 } },
      costs: { incremental: { total: 0.25 } },
    }
    for (const sent of [value('json', metrics), json(metrics)])
      expect(agOf({ 'langwatch.span.type': 'llm', 'langwatch.metrics': sent })).toEqual({
        type: { span: 'chat' },
        metrics: expected,
      })
  })

  test('the documents that were found are outputs if there are no others', () => {
    const sent = { 'langwatch.span.type': 'rag', 'langwatch.contexts': value('json', [{ document_id: 'd' }]) }
    expect(agOf(sent).data).toEqual({ outputs: { documents: [{ document_id: 'd' }] } })
    expect(agOf({ ...sent, 'langwatch.output': value('text', 'No.') }).data).toEqual({ outputs: 'No.' })
  })
})

describe('Laminar', () => {
  test('a call of a model', () => {
    const sent = {
      'lmnr.span.type': 'LLM',
      'lmnr.span.input': json([QUESTION]),
      'lmnr.span.output': '"No."',
      'lmnr.association.properties.session_id': 'chat-42',
      'lmnr.association.properties.user_id': 'ada',
      'lmnr.association.properties.tags': ['weather'],
      'lmnr.association.properties.metadata.plan': 'gold',
      'gen_ai.usage.input_cost': 0.25,
      'gen_ai.usage.output_cost': 0.5,
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'chat' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: { inputs: { prompt: [QUESTION] }, outputs: 'No.' },
      meta: { tags: ['weather'], metadata: { plan: 'gold' } },
      metrics: { costs: { incremental: { prompt: 0.25, completion: 0.5, total: 0.75 } } },
    })
  })

  test('a function', () => {
    const sent = { 'lmnr.span.type': 'DEFAULT', 'lmnr.span.input': '["Bari",3]', 'lmnr.span.output': '{"sunny":true}' }
    expect(agOf(sent)).toEqual({
      type: { span: 'task' },
      data: { inputs: { input: ['Bari', 3] }, outputs: { sunny: true } },
    })
  })
})

describe('MLflow', () => {
  test('a call of a model', () => {
    const usage = { input_tokens: 140, output_tokens: 24, total_tokens: 164, cache_read_input_tokens: 100 }
    const sent = {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': json({ model: 'm', messages: [QUESTION] }),
      'mlflow.spanOutputs': '"No."',
      'mlflow.chat.tokenUsage': json(usage),
      'mlflow.llm.model': '"gpt-4o-mini"',
      'mlflow.llm.provider': '"openai"',
      'mlflow.llm.cost': '{"input_cost":0.25,"output_cost":0.5,"total_cost":0.75}',
      'mlflow.trace.session': '"chat-42"',
      'mlflow.trace.user': 'ada',
    }
    const expected = {
      type: { span: 'chat' },
      session: { id: 'chat-42' },
      user: { id: 'ada' },
      data: { inputs: { model: 'm', messages: [QUESTION] }, outputs: 'No.' },
      meta: { request: { model: 'gpt-4o-mini' }, system: 'openai' },
      metrics: {
        tokens: { incremental: { prompt: 140, completion: 24, total: 164, cache_read: 100 } },
        costs: { incremental: { prompt: 0.25, completion: 0.5, total: 0.75 } },
      },
    }
    expect(agOf(sent)).toEqual(expected)
    expect(agOf({ ...sent, 'mlflow.chat.tokenUsage': usage })).toEqual(expected)
  })

  test.each([
    ['"RETRIEVER"', 'query'],
    ['TOOL', 'tool'],
    ['"PARSER"', 'task'],
  ])('the kind %s', (kind, span) => {
    expect(agOf({ 'mlflow.spanType': kind })).toEqual({ type: { span } })
  })
})

describe('Braintrust', () => {
  test('a call of a model', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'No.' } }]
    const sent = {
      'braintrust.span_attributes': '{"type":"llm"}',
      'braintrust.input_json': json([QUESTION]),
      'braintrust.output_json': json(choices),
      'braintrust.metadata': '{"provider":"openai","model":"gpt-4o-mini"}',
      'braintrust.tags': ['weather'],
      'braintrust.metrics': json({
        prompt_tokens: 140,
        completion_tokens: 24,
        tokens: 164,
        prompt_cached_tokens: 90,
        prompt_cache_creation_tokens: 10,
        completion_reasoning_tokens: 8,
        time_to_first_token: 0.5,
      }),
    }
    const parts = { cache_read: 90, cache_creation: 10, reasoning: 8 }
    expect(agOf(sent)).toEqual({
      type: { span: 'chat' },
      data: { inputs: { prompt: [QUESTION] }, outputs: choices },
      meta: {
        request: { model: 'gpt-4o-mini' },
        metadata: { provider: 'openai', model: 'gpt-4o-mini' },
        tags: ['weather'],
      },
      metrics: { tokens: { incremental: { prompt: 140, completion: 24, total: 164, ...parts } } },
    })
  })

  test('a step', () => {
    const sent = {
      'braintrust.span_attributes.type': 'function',
      'braintrust.input': 'Rain?',
      'braintrust.output': 'No.',
      'braintrust.metadata.plan': 'gold',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'task' },
      data: { inputs: { input: 'Rain?' }, outputs: 'No.' },
      meta: { metadata: { plan: 'gold' } },
    })
  })
})
