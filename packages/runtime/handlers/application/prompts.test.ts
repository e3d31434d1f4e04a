import type { Json, JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { runWith, scriptedModel } from '../../run.testing.ts'
import type { RunEvent } from '../../run.ts'
import { RunError } from '../../run-error.ts'
import { autoAiCritique } from '../model/auto_ai_critique.ts'
import { chat } from './chat.ts'
import { completion } from './completion.ts'
import { llm } from './llm.ts'

const MESSAGES: Json[] = [
  { role: 'system', content: 'Answer in {{language}}.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Where is {{inputs.city}}?' },
      { type: 'image_url', image_url: { url: 'https://{{city}}' } },
    ],
  },
]
const inputs = { language: 'Norwegian', city: 'Oslo' }
const promptOf = (prompt: JsonObject): JsonObject => ({ prompt: { messages: MESSAGES, ...prompt } })
const refused = (status: number, fragment: string, message: RegExp) => ({
  status,
  fragment,
  message: expect.stringMatching(message),
})

test('a completion renders its messages, sends the options that are set and returns the text', async () => {
  const model = scriptedModel('I Norge.')
  const llm_config = {
    model: 'm',
    temperature: 0,
    stop: ['x'],
    stream: true,
    unknown: 1,
    tools: [],
    tool_choice: 'auto',
    top_p: null,
  }
  expect(await runWith(completion, { ...model, inputs, parameters: promptOf({ llm_config }) })).toBe('I Norge.')
  expect(model.plans).toEqual([
    {
      messages: [
        { role: 'system', content: 'Answer in Norwegian.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is Oslo?' },
            { type: 'image_url', image_url: { url: 'https://{{city}}' } },
          ],
        },
      ],
      configs: [{ model: 'm', options: { temperature: 0, stop: ['x'] } }],
    },
  ])
})

test('a response format is rendered in names and values, and the answer stays text', async () => {
  const model = scriptedModel('{"a": 1}')
  const response_format = {
    type: 'json_schema',
    json_schema: { name: '{{language}}', schema: { properties: { '{{city}}': { type: 'number' } } } },
  }
  const parameters = promptOf({ llm_config: { response_format }, template_format: 'mustache' })
  expect(await runWith(completion, { ...model, inputs, parameters })).toBe('{"a": 1}')
  expect(model.plans[0]?.configs[0]?.options.response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'Norwegian', schema: { properties: { Oslo: { type: 'number' } } } },
  })
})

test.each<[JsonObject, Json]>([
  [{ role: 'assistant', content: null, refusal: 'no' }, 'no'],
  [{ role: 'assistant', content: null, tool_calls: [{ id: '1' }] }, [{ id: '1' }]],
  [{ role: 'assistant', content: '' }, ''],
])('a completion of %j is %j', async (message, result) => {
  expect(await runWith(completion, { ...scriptedModel(message), inputs, parameters: promptOf({}) })).toEqual(result)
})

test.each<[string, JsonObject, unknown]>([
  ['no prompt', {}, refused(400, 'v0:schemas:missing-parameter', /'prompt'/)],
  ['a prompt of another type', { prompt: 'x' }, refused(400, 'v0:schemas:invalid-parameter', /'prompt'/)],
  [
    'a message without a role',
    { prompt: { messages: [{}] } },
    refused(400, 'v0:schemas:invalid-parameter', /messages\[0\]\.role/),
  ],
  [
    'a message that is a text',
    { prompt: { messages: [{ role: 'user' }, 'x'] } },
    refused(400, 'v0:schemas:invalid-parameter', /prompt\.messages\[1\]/),
  ],
  [
    'an unknown part',
    { prompt: { messages: [{ role: 'user', content: [{ type: 'video' }] }] } },
    refused(400, 'v0:schemas:invalid-parameter', /content\[0\]\.type/),
  ],
  [
    'an unknown format',
    promptOf({ template_format: 'erb' }),
    refused(400, 'v0:schemas:invalid-parameter', /prompt\.template_format/),
  ],
  [
    'a temperature of 3',
    promptOf({ llm_config: { temperature: 3 } }),
    refused(400, 'v0:schemas:invalid-parameter', /prompt\.llm_config\.temperature'\nExpected a number from 0 to 2/),
  ],
  [
    'a fallback that does not fit',
    promptOf({ fallback_configs: [{ top_p: 'x' }] }),
    refused(400, 'v0:schemas:invalid-parameter', /fallback_configs\[0\]\.top_p/),
  ],
  [
    'six retries',
    promptOf({ retry_config: { max_retries: 6 } }),
    refused(400, 'v0:schemas:invalid-parameter', /retry_config\.max_retries/),
  ],
  ...[99, 1_001].map((base_delay): [string, JsonObject, unknown] => [
    `a pause of ${base_delay} ms`,
    promptOf({ retry_config: { base_delay } }),
    refused(400, 'v0:schemas:invalid-parameter', /retry_config\.base_delay'\nExpected a number from 100 to 1000/),
  ]),
  [
    'a key that is not provided',
    promptOf({ input_keys: ['city', 'other'] }),
    refused(400, 'v0:schemas:invalid-inputs', /'city', 'other'; provided: 'language', 'city'/),
  ],
  [
    'a missing variable',
    promptOf({ messages: [{ role: 'user', content: '{{none}}{{nil}}' }] }),
    refused(
      400,
      'v0:workflows:prompt-formatting-error',
      /prompt\.messages\[0\]\.content'\nMissing variables: 'none', 'nil'/,
    ),
  ],
])('%s is refused before the model is asked', async (_, parameters, error) => {
  await expect(runWith(completion, { inputs, parameters })).rejects.toMatchObject(error as object)
})

const { POSITIVE_INFINITY: INFINITE } = Number
/** For each option of an `llm_config` values that are sent, and values that are refused. */
const OPTIONS: [name: string, sent: Json[], refused: Json[]][] = [
  ['temperature', [0, 2, 0.5], [-0.1, 2.1, '1', true, [], INFINITE]],
  ['max_tokens', [0, 1, 100_000], [-1, 1.5, '10']],
  ['top_p', [0, 1], [-0.1, 1.1]],
  ['frequency_penalty', [-2, 2], [-2.1, 2.1]],
  ['presence_penalty', [-2, 2], [-2.1, 2.1]],
  ['reasoning_effort', ['none', 'x'.repeat(64)], ['x'.repeat(65), 1]],
  ['chat_template_kwargs', [{}, { thinking: false }], [[], 'x']],
  [
    'response_format',
    [{ type: 'text' }, { type: 'json_object' }],
    ['text', {}, { type: 'xml' }, { type: 'json_schema' }],
  ],
  ['stop', ['x', [], ['x', 'y']], [1, ['x', 1], {}]],
  ['seed', [-7, 0, 7], [0.5, '7']],
  ['parallel_tool_calls', [true, false], ['true', 0]],
  ['logprobs', [true, false], ['true', 0]],
  ['top_logprobs', [0, 20], [-1, 21, 1.5]],
]
test.each(OPTIONS)('of an option, what is out of its range is refused: %s', async (name, sent, refused) => {
  const configOf = (value: Json): JsonObject => promptOf({ llm_config: { [name]: value } })
  for (const value of sent) {
    const model = scriptedModel('x')
    await runWith(completion, { ...model, inputs, parameters: configOf(value) })
    expect(model.plans[0]?.configs[0]?.options).toEqual({ [name]: value })
  }
  for (const value of refused)
    await expect(runWith(completion, { inputs, parameters: configOf(value) })).rejects.toMatchObject({
      fragment: 'v0:schemas:invalid-parameter',
      message: expect.stringContaining(`prompt.llm_config.${name}`),
    })
})

test.each<[JsonObject, [role: string, content: string][]]>([
  [{ system_prompt: 'S' }, [['system', 'S']]],
  [{ user_prompt: 'U {{city}}' }, [['user', 'U Oslo']]],
  [
    { user_prompt: 'U', system_prompt: 'S' },
    [
      ['system', 'S'],
      ['user', 'U'],
    ],
  ],
  [{ user_prompt: 'U', messages: [] }, []],
  [
    {},
    [
      ['system', ''],
      ['user', ''],
    ],
  ],
])('the messages of %j', async (prompt, messages) => {
  const model = scriptedModel('x')
  await runWith(completion, { ...model, inputs, parameters: { prompt } })
  expect(model.plans[0]?.messages).toEqual(messages.map(([role, content]) => ({ role, content })))
})

test('placeholders are rendered against no inputs when there are none', async () => {
  const model = scriptedModel('x')
  await runWith(completion, { ...model, parameters: promptOf({ template_format: 'mustache' }) })
  expect(model.plans[0]?.messages[0]).toEqual({ role: 'system', content: 'Answer in .' })
})

test('a chat sends its prompt, then the history as it came, and returns the message', async () => {
  const model = scriptedModel({ role: 'assistant', content: 'Ja.', refusal: null, annotations: [] })
  const messages = [{ role: 'user', content: 'Is {{city}} nice?', custom: 1 }]
  const result = await runWith(chat, {
    ...model,
    inputs: { ...inputs, messages },
    parameters: promptOf({ input_keys: ['city', 'language', 'messages'] }),
  })
  expect(result).toEqual({ role: 'assistant', content: 'Ja.' })
  expect(model.plans[0]?.messages.at(-1)).toEqual(messages[0])
  for (const wrong of ['x', {}, [null], ['x'], [{ content: 'x' }]])
    await expect(runWith(chat, { inputs: { messages: wrong }, parameters: promptOf({}) })).rejects.toMatchObject({
      fragment: 'v0:schemas:invalid-input',
    })
})

test("a chat says what a model refuses with as the message's content", async () => {
  const model = scriptedModel({ role: 'assistant', content: null, refusal: 'I will not.' })
  const result = await runWith(chat, { ...model, inputs, parameters: promptOf({}) })
  expect(result).toEqual({ role: 'assistant', content: 'I will not.' })
})

test('a judge without a key says so before it renders its prompt', async () => {
  const requireKey = async ({ model }: { model: string }): Promise<never> => {
    throw new RunError(400, 'v0:schemas:invalid-secrets', `No API key found for model '${model}'`)
  }
  const parameters = { prompt_template: [{ role: 'user', content: '{{nobody}}' }], model: 'm' }
  await expect(runWith(autoAiCritique, { parameters, means: { requireKey } })).rejects.toMatchObject({
    fragment: 'v0:schemas:invalid-secrets',
    message: "No API key found for model 'm'",
  })
})

test('the policies of a prompt and its fallbacks are part of the plan', async () => {
  const model = scriptedModel('x')
  await runWith(completion, {
    ...model,
    inputs,
    parameters: promptOf({
      retry_policy: 'any',
      retry_config: { max_retries: 5, base_delay: 1_000 },
      fallback_policy: 'context',
      fallback_configs: [{ model: 'n', connection: 'lab' }],
    }),
  })
  expect(model.plans[0]).toMatchObject({
    retryPolicy: 'any',
    retriesMax: 5,
    retryDelayMs: 1_000,
    fallbackPolicy: 'context',
    configs: [{ model: 'gpt-4o-mini' }, { model: 'n', connection: 'lab' }],
  })
})

const JUDGE = {
  prompt_template: [{ role: 'user', content: 'Expected {{correct_answer}}, got {{outputs}}.' }],
  version: '5',
  response_type: 'text',
  correct_answer_key: 'right',
}

test.each<[string, Json]>([
  ['0.7', { score: 0.7, success: true }],
  ['0.2', { score: 0.2, success: false }],
  ['true', { score: 1, success: true }],
  ['false', { score: 0, success: false }],
  ['```json\n{"score": 1, "why": "ok"}\n```', { score: 1, why: 'ok' }],
])('a judge that answers %j scores %j', async (answer, result) => {
  const model = scriptedModel(answer)
  expect(
    await runWith(autoAiCritique, { ...model, parameters: JUDGE, inputs: { right: '4' }, outputs: { a: 5 } }),
  ).toEqual(result)
  expect(model.plans[0]).toEqual({
    messages: [{ role: 'user', content: 'Expected 4, got {"a": 5}.' }],
    configs: [{ model: 'gpt-3.5-turbo', options: { temperature: 0 } }],
  })
})

test('what a judge reads: its parameters, the expected value, the inputs and the outputs, the later before the earlier', async () => {
  const judged = async (inputs: JsonObject, content: string) => {
    const model = scriptedModel('1')
    const prompt_template = [{ role: 'user', content }]
    await runWith(autoAiCritique, { ...model, parameters: { ...JUDGE, prompt_template }, inputs, outputs: 'said' })
    return model.plans[0]?.messages[0]?.content
  }
  const expected = '{{ground_truth}}, {{correct_answer}}, {{reference}}'
  expect(await judged({ right: '4' }, `{{version}}: ${expected}`)).toBe('5: 4, 4, 4')
  const inputs = { right: '4', reference: '6', version: '7', outputs: 'x', prediction: 'y', inputs: 'z' }
  expect(await judged(inputs, `{{version}}: ${expected}`)).toBe('7: 4, 4, 6')
  expect(await judged(inputs, '{{right}} {{inputs.right}} {{outputs}} {{prediction}}')).toBe('4 4 said said')
})

test.each(['good', '[1]', '"7"', '', 'null', '1e400', '{"score":1e400}'])(
  'a judge that answers %j gave no verdict',
  async answer => {
    const run = runWith(autoAiCritique, { ...scriptedModel(answer), parameters: JUDGE, outputs: 'x' })
    await expect(run).rejects.toMatchObject({ status: 400, fragment: 'v0:schemas:invalid-outputs' })
  },
)

test.each<[JsonObject, string]>([
  [{}, "'prompt_template'"],
  [{ prompt_template: 'x' }, "'prompt_template'"],
  [{ ...JUDGE, response_type: 'xml' }, "'response_type'"],
  [{ ...JUDGE, response_type: 'json_schema' }, "'json_schema'"],
  [{ ...JUDGE, temperature: 9 }, "'temperature'"],
])('a judge configured with %j is refused', async (parameters, message) => {
  await expect(runWith(autoAiCritique, { parameters, outputs: 'x' })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  })
})

test('versions of the judge differ in their defaults', async () => {
  const judged = async (parameters: JsonObject) => {
    const model = scriptedModel('1')
    await runWith(autoAiCritique, { ...model, parameters, inputs: { a: 'A' }, outputs: 'x' })
    return model.plans[0]
  }
  const prompt_template = [{ role: 'user', content: '{a} {{a}}' }]
  const json_schema = { name: 'n', schema: {} }
  expect((await judged({ prompt_template, version: '2' }))?.messages[0]?.content).toBe('A {a}')
  expect((await judged({ prompt_template }))?.messages[0]?.content).toBe('{a} A')
  expect((await judged({ prompt_template, version: '4', json_schema }))?.configs[0]?.options.response_format).toEqual({
    type: 'json_schema',
    json_schema,
  })
})

test("names in a judge's configuration are not those of the language", async () => {
  const parameters = { ...JUDGE, version: '3', prompt_template: [{ role: 'user', content: '{{correct_answer}}' }] }
  const named = (more: JsonObject) => runWith(autoAiCritique, { parameters: { ...parameters, ...more }, inputs: {} })
  await expect(named({ correct_answer_key: 'constructor' })).rejects.toMatchObject({
    fragment: 'v0:workflows:prompt-formatting-error',
  })
  const { response_type: _, ...defaults } = parameters
  const model = scriptedModel('1')
  const versioned = { ...defaults, version: 'constructor' }
  await runWith(autoAiCritique, { ...model, parameters: versioned, inputs: { right: '4' } })
  expect(model.plans[0]?.messages[0]?.content).toBe('4')
})

const toolCall = (name: string): JsonObject => ({
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }],
})
const TOOLS: JsonObject = {
  external: [
    { type: 'function', function: { name: 'weather', parameters: {} } },
    { name: 'map', definition: { description: 'A map.' } },
  ],
}
const status = (code: number, type: string, message: string) => ({ status: { code, type, message } })
const failed = (category: 'capacity' | 'context' | 'access' | 'other', code = 500) =>
  new RunError(code, 'v0:workflows:prompt-completion-error', category, { category })

test('llm asks once: the answer, or the call of an external tool', async () => {
  const parameters = { llms: [{ model: 'm' }], messages: [{ role: 'system', content: 'Say {{word}}' }], tools: TOOLS }
  const said = await runWith(llm, {
    ...scriptedModel('hi'),
    parameters,
    inputs: { variables: { word: 'hi' }, context: { a: 1 } },
  })
  expect(said).toMatchObject({
    ...status(200, 'success', 'completed'),
    messages: [
      { role: 'system', content: 'Say hi' },
      { role: 'assistant', content: 'hi' },
    ],
    context: { a: 1 },
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  })
  const model = scriptedModel(toolCall('weather'))
  expect(await runWith(llm, { ...model, parameters })).toMatchObject(status(202, 'awaiting', 'tool_requested'))
  expect(model.plans[0]?.messages).toEqual([{ role: 'system', content: 'Say {{word}}' }])
  expect(model.plans[0]?.configs[0]?.options.tools).toEqual([
    { type: 'function', function: { name: 'weather', parameters: {} } },
    { type: 'function', function: { name: 'map', description: 'A map.' } },
  ])
})

test.each<[string, JsonObject, (string | JsonObject | RunError)[], object]>([
  ['stops without a call', {}, ['done'], status(200, 'success', 'completed')],
  [
    'stops at the terminate tool',
    { allow_implicit_stop: false },
    ['thinking', toolCall('control_terminate')],
    status(200, 'success', 'completed'),
  ],
  [
    'runs out of turns',
    { allow_implicit_stop: false, max_iterations: 2 },
    ['thinking'],
    status(500, 'failure', 'iterations_exhausted'),
  ],
  ['calls tools that do not exist', {}, [toolCall('none')], status(500, 'failure', 'error_raised')],
  [
    'recovers from tools that do not exist',
    { allow_implicit_stop: false, max_consecutive_errors: 1 },
    [toolCall('none'), 'thinking', toolCall('none'), 'thinking', toolCall('control_terminate')],
    status(200, 'success', 'completed'),
  ],
  [
    'calls too many tools',
    { max_internal_tool_calls: 1, max_consecutive_errors: 9 },
    [toolCall('none')],
    status(500, 'failure', 'calls_exhausted'),
  ],
  ['finds no model', {}, [failed('capacity')], status(503, 'failure', 'llm_unavailable')],
])('a loop that %s', async (_, loop, answers, result) => {
  expect(
    await runWith(llm, { ...scriptedModel(...answers), parameters: { llms: [{ model: 'm' }], loop, tools: TOOLS } }),
  ).toMatchObject(result)
})

test.each<[string, JsonObject, string[], string[]]>([
  ['terminate', { allow_implicit_stop: false }, ['control_terminate'], ['The task is done.']],
  ['too many', { max_internal_tool_calls: 0 }, ['none'], ["There is no tool named 'none'."]],
  ["also the caller's", {}, ['map', 'none'], ["There is no tool named 'none'."]],
])("a loop leaves only the caller's calls without a result: %s", async (_, loop, names, results) => {
  const tool_calls = names.map(name => ({ id: name, type: 'function', function: { name, arguments: '{}' } }))
  const events: RunEvent[] = []
  const { messages } = (await runWith(llm, {
    ...scriptedModel({ role: 'assistant', tool_calls }),
    parameters: { llms: [{ model: 'm' }], loop, tools: TOOLS },
    emit: event => void events.push(event),
  })) as { messages: JsonObject[] }
  const id = names.at(-1)
  expect(messages.slice(1)).toEqual(results.map(content => ({ role: 'tool', tool_call_id: id, content })))
  expect(events).toMatchObject(results.map(output => ({ type: 'tool_result', data: { id, output } })))
})

test('the next model is tried when one is not available, not when the request is wrong', async () => {
  const parameters = { llms: [{ model: 'a' }, { model: 'b' }] }
  const model = scriptedModel(failed('capacity'), 'from b')
  expect(await runWith(llm, { ...model, parameters })).toMatchObject({ messages: [{ content: 'from b' }] })
  expect(model.plans.map(plan => plan.configs[0]?.model)).toEqual(['a', 'b'])
  await expect(runWith(llm, { ...scriptedModel(failed('context')), parameters })).rejects.toMatchObject({
    message: 'context',
  })
  const rejected = scriptedModel(failed('other', 400), 'from b')
  await expect(runWith(llm, { ...rejected, parameters })).rejects.toMatchObject({ status: 400, message: 'other' })
  await expect(runWith(llm, { ...scriptedModel(failed('access')), parameters })).rejects.toMatchObject({
    status: 503,
    fragment: 'v0:workflows:llm-unavailable',
  })
  await expect(runWith(llm, { ...scriptedModel(failed('access', 400)), parameters })).rejects.toMatchObject({
    status: 400,
  })
})

test('no other model is tried after one that failed in the middle of its answer', async () => {
  const parameters = { llms: [{ model: 'a' }, { model: 'b' }], loop: {} }
  const broken = new RunError(500, 'v0:workflows:prompt-completion-error', 'broken off', {
    category: 'availability',
    isPartial: true,
  })
  const model = scriptedModel(broken, 'from b')
  await expect(runWith(llm, { ...model, parameters })).rejects.toThrow('broken off')
  expect(model.plans.map(plan => plan.configs[0]?.model)).toEqual(['a'])
})

test('llm trims to the trailing unit, continues what it is given, and refuses force', async () => {
  const parameters = { llms: [{ model: 'm' }], messages: [{ role: 'system', content: 's' }] }
  const flags = { stream: false, trim: true, force: false }
  expect(await runWith(llm, { ...scriptedModel('hi'), parameters, flags })).toMatchObject({
    messages: [{ role: 'assistant', content: 'hi' }],
  })
  const model = scriptedModel('hi')
  const messages = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'u' },
  ]
  await runWith(llm, { ...model, parameters, inputs: { messages } })
  expect(model.plans[0]?.messages).toEqual(messages)
  await expect(runWith(llm, { parameters, flags: { ...flags, force: true } })).rejects.toMatchObject({ status: 406 })
  await expect(runWith(llm, { parameters: {} })).rejects.toMatchObject({ fragment: 'v0:schemas:missing-parameter' })
  await expect(
    runWith(llm, { parameters: { ...parameters, tools: { internal: ['files.read'] } } }),
  ).rejects.toMatchObject({ fragment: 'v0:schemas:invalid-parameter' })
})
