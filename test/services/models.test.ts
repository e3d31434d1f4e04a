import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFakeProvider } from '@spanhouse/fake-provider'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, expect, test } from 'vitest'
import { eventually, newProject } from '../harness.ts'

/**
 * Runs that call a provider: one that speaks OpenAI's interface on this machine, which the server is allowed to call
 * here.
 */
const dataDir = await newDataDir('models')
const provider = await startFakeProvider()
const server = await startServerProcess({ dataDir, env: { SPANHOUSE_OUTBOUND_OPEN: 'true' } })
afterAll(async () => {
  await Promise.all([server.stop(), provider.close()])
  await rm(dataDir, { recursive: true, force: true })
})
const project = await newProject({ apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey })

const KEY = 'sk-known-to-nobody-else'
const MODELS = [
  'gpt-4o-mini',
  'fake-slow',
  'fake-stall-middle',
  'fake-stall-before',
  'fake-huge',
  'fake-huge-60',
  'fake-context',
  'fake-cut',
]
const STATUSES = [400, 401, 403, 404, 408, 422, 429, 500, 503]
const slugs = [...MODELS, ...STATUSES.map(status => `fake-error-${status}`), 'text-embedding-3-small']
const secret = await project.post('/api/secrets/', {
  header: { name: 'lab' },
  secret: {
    kind: 'custom_provider',
    data: {
      kind: 'custom',
      provider: { url: `${provider.url}/v1`, key: KEY },
      models: slugs.map(slug => ({ slug })),
    },
  },
})
const connection: string = secret.body.slug

const asking = (model: string, more: object = {}, question = 'Which city?'): any => ({
  data: {
    inputs: {},
    parameters: {
      prompt: { messages: [{ role: 'user', content: question }], llm_config: { model, connection }, ...more },
    },
  },
})

async function spansOf(trace_id: string, count: number): Promise<any[]> {
  return eventually(async () => {
    const { body } = await project.post('/api/spans/query', {
      filter: { conditions: [{ field: 'trace_id', value: trace_id }] },
    })
    return body.count >= count ? body.spans : undefined
  })
}

const lastRequest = () => provider.requests.at(-1)

test('the document is invoked as written: created, invoked, streamed, and its trace is priced', async () => {
  const { body: made } = await project.post('/api/simple/applications/', {
    application: {
      slug: 'capitals',
      name: 'Capitals',
      flags: { is_application: true },
      data: {
        uri: 'agenta:builtin:completion:v0',
        parameters: {
          prompt: {
            messages: [{ role: 'user', content: 'What is the capital of {{country}}?' }],
            llm_config: { model: 'gpt-4o-mini', connection, temperature: 0.1 },
          },
        },
      },
    },
  })
  const { url, parameters } = made.application.data
  const path = url.slice(`${server.url}/services`.length)
  const body = { data: { inputs: { country: 'France' }, parameters } }
  const answer = await project.run(`${path}/invoke`, body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.data.outputs).toContain('Paris')
  expect(lastRequest()).toMatchObject({
    headers: { authorization: `Bearer ${KEY}` },
    body: {
      model: 'gpt-4o-mini',
      temperature: 0.1,
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    },
  })
  const spans = await spansOf(answer.body.trace_id, 2)
  const call = spans.find(span => span.span_name === 'llm.chat')
  expect(call.attributes.ag).toMatchObject({
    type: { span: 'chat' },
    data: {
      inputs: { prompt: [{ role: 'user', content: 'What is the capital of France?' }] },
      parameters: { model: 'gpt-4o-mini', temperature: 0.1 },
      outputs: { completion: [{ role: 'assistant', content: answer.body.data.outputs }] },
    },
    metrics: {
      tokens: {
        incremental: { prompt: expect.any(Number), completion: expect.any(Number), total: expect.any(Number) },
      },
      costs: { incremental: { total: expect.any(Number) } },
    },
    meta: { response: { finish_reason: 'stop', first_token_ms: expect.any(Number) } },
  })
  expect(call.attributes.ag.metrics.costs.incremental.total).toBeGreaterThan(0)
  const root = spans.find(span => !span.parent_id)
  expect(root.attributes.ag.metrics.costs.cumulative.total).toBeCloseTo(
    call.attributes.ag.metrics.costs.incremental.total,
  )
  const streamed = await project.run(`${path}/invoke`, body, { accept: 'text/event-stream' })
  const events = streamed.text
    .trim()
    .split('\n\n')
    .map(frame => JSON.parse(frame.slice('data: '.length)))
  const text = events.flatMap(event => (event.type === 'message_delta' ? [event.data.delta] : [])).join('')
  expect(text).toBe(answer.body.data.outputs)
  expect(events.at(-1).data.outputs).toBe(text)
  expect(events.map(event => event.type)).toEqual(
    expect.arrayContaining(['message_start', 'message_end', 'usage', 'done']),
  )
})

test('the first piece is passed on before the last has been written', async () => {
  const response = await fetch(`${server.url}/services/completion/v0/invoke`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${project.apiKey}`, accept: 'text/event-stream', 'accept-encoding': 'gzip' },
    body: JSON.stringify(asking('fake-slow')),
  })
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  expect(Buffer.from(value ?? []).toString()).toContain('message_start')
  expect(lastRequest()?.end).toBe(undefined)
  await reader.cancel()
})

test.each(STATUSES)('a provider that answers %d', async status => {
  const {
    status: answered,
    headers,
    body,
    text,
  } = await project.run('/completion/v0/invoke', asking(`fake-error-${status}`))
  expect(answered, text).toBe(status === 401 || status === 403 ? 424 : status)
  expect(body.status).toMatchObject({
    code: answered,
    message: expect.stringContaining(`The fake provider responds with ${status}.`),
    type: expect.stringMatching(/#v0:workflows:prompt-completion-error$/),
  })
  if (status === 429) expect(headers.get('retry-after')).toBe('7')
  const spans = await spansOf(body.trace_id, 2)
  for (const span of spans) expect(span.attributes.ag.exception.message).toContain(`responds with ${status}`)
})

test('every attempt is a span, and the one that succeeds answers', async () => {
  const more = {
    retry_policy: 'any',
    retry_config: { max_retries: 1, base_delay: 100 },
    fallback_policy: 'any',
    fallback_configs: [{ model: 'gpt-4o-mini', connection }],
  }
  const { status, body } = await project.run('/completion/v0/invoke', asking('fake-error-503', more))
  expect(status).toBe(200)
  const spans = (await spansOf(body.trace_id, 4)).filter(span => span.span_name === 'llm.chat')
  expect(spans.map(span => span.status_code).toSorted()).toEqual([
    ...['STATUS_CODE_ERROR', 'STATUS_CODE_ERROR', 'STATUS_CODE_OK'],
  ])
})

test('a stream that breaks off in its answer is not continued by the next model', async () => {
  const llms = [
    { model: 'fake-cut', connection },
    { model: 'gpt-4o-mini', connection },
  ]
  const body = { data: { inputs: {}, parameters: { llms, messages: [{ role: 'user', content: 'Which city?' }] } } }
  const whole = await project.run('/llm/v0/invoke', body)
  expect(whole.body.data.outputs.messages.at(-1)).toMatchObject({ role: 'assistant' })
  const { text } = await project.run('/llm/v0/invoke', body, { accept: 'text/event-stream' })
  const events = text
    .trim()
    .split('\n\n')
    .map(frame => JSON.parse(frame.slice('data: '.length)))
  expect(events.filter(event => event.type === 'message_start')).toHaveLength(1)
  expect(events.at(-2)).toMatchObject({ type: 'error', data: { message: expect.stringContaining('broke') } })
  expect(events.at(-1)).toMatchObject({ status: { code: 500 } })
})

test('an answer that is too large, too long a prompt, and a broken connection are clear errors', async () => {
  for (const [model, code] of [
    ['fake-huge', 500],
    ['fake-context', 400],
    ['fake-cut', 500],
  ] as const) {
    const { status, body } = await project.run('/completion/v0/invoke', asking(model))
    expect([status, body.status.type]).toEqual([code, expect.stringMatching(/prompt-completion-error$/)])
    expect(body.status.message.length).toBeLessThan(3_000)
  }
})

test('a stream of 60 MB ends with an error, and nothing more is read of it', async () => {
  const { text } = await project.run('/completion/v0/invoke', asking('fake-huge-60'), {
    accept: 'application/x-ndjson',
  })
  const last = JSON.parse(text.trimEnd().slice(text.trimEnd().lastIndexOf('\n') + 1))
  expect(last.status).toMatchObject({ code: 500, message: expect.stringMatching(/larger than \d+ bytes/) })
  expect(text.length).toBeLessThan(20 * 1024 * 1024)
  await eventually(async () => lastRequest()?.end === 'aborted')
})

test.each(['fake-stall-before', 'fake-stall-middle'])(
  'a caller who hangs up on %s cancels the call, and the trace says so',
  async model => {
    const before = provider.requests.length
    const leaving = new AbortController()
    const trace_id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
    const running = fetch(`${server.url}/services/completion/v0/invoke`, {
      method: 'POST',
      headers: {
        authorization: `ApiKey ${project.apiKey}`,
        accept: 'text/event-stream',
        traceparent: `00-${trace_id}-${'1'.repeat(16)}-01`,
      },
      body: JSON.stringify(asking(model)),
      signal: leaving.signal,
    }).then(response => response.text())
    running.catch(() => {})
    await eventually(async () => provider.requests.length > before)
    leaving.abort()
    await eventually(async () => lastRequest()?.end === 'aborted')
    for (const span of await spansOf(trace_id, 2)) {
      expect(span.status_code).toBe('STATUS_CODE_ERROR')
      expect(span.status_message).toContain('disconnected')
    }
  },
)

test('an evaluator judges with a model, and compares with another', async () => {
  const judge = {
    parameters: {
      prompt_template: [{ role: 'user', content: 'Judge {{outputs}}' }],
      model: 'gpt-4o-mini',
      connection,
      response_type: 'json_schema',
      json_schema: {
        name: 'schema',
        schema: { type: 'object', properties: { score: { type: 'boolean' } }, required: ['score'] },
      },
      version: '5',
    },
    inputs: {},
    outputs: 'Paris',
  }
  const judged = await project.run('/auto_ai_critique/v0/invoke', { data: judge })
  expect(judged.status, judged.text).toBe(200)
  expect(judged.body.data.outputs).toEqual({ score: expect.any(Boolean) })
  const similar = await project.run('/auto_semantic_similarity/v0/invoke', {
    data: {
      parameters: { correct_answer_key: 'expected', embedding_model: 'lab/custom/text-embedding-3-small' },
      inputs: { expected: 'a city in France' },
      outputs: 'a city in France',
    },
  })
  expect(similar.status, similar.text).toBe(200)
  expect(similar.body.data.outputs).toEqual({ score: expect.closeTo(1), success: true })
  const spans = await spansOf(similar.body.trace_id, 2)
  expect(spans.map(span => span.span_type).toSorted()).toEqual(['embedding', 'workflow'])
})

test('a hook is sent the request, and nothing of ours; one that hangs up or answers wrongly is an error', async () => {
  const seen: { headers: any; body: any }[] = []
  const hook = createServer((request, response) => {
    void request.toArray().then(chunks => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      seen.push({ headers: request.headers, body })
      if (body.inputs.fail === 'cut') return response.destroy()
      if (body.inputs.afterMs) return setTimeout(() => response.end('"late"'), body.inputs.afterMs)
      response.statusCode = body.inputs.fail ?? 200
      return response.end(JSON.stringify({ data: { outputs: { heard: body.inputs.q ?? null } } }))
    })
  }).listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/my`
  const revision = { data: { uri: 'agenta:custom:hook:v0', url, headers: { 'x-own': 'mine' } } }
  // A hook has 30 s; 10 s are the default for requests to others.
  const late = project.run('/hook/v0/invoke', { data: { revision, inputs: { afterMs: 11_000 } } })
  const { body, text } = await project.run('/invoke', {
    data: { revision, inputs: { q: 'hi' }, parameters: { tone: 'dry' } },
  })
  expect(body.data?.outputs, text).toEqual({ heard: 'hi' })
  const seenFirst = seen.find(one => one.body.inputs.q === 'hi')
  expect(seenFirst).toMatchObject({
    headers: { 'x-own': 'mine', traceparent: expect.stringContaining(body.trace_id) },
    body: { inputs: { q: 'hi' }, parameters: { tone: 'dry' }, data: { inputs: { q: 'hi' } } },
  })
  expect(JSON.stringify(seenFirst)).not.toContain(project.apiKey)
  const labels = {
    references: { testcase: { slug: 'first' } },
    selector: { key: 'main' },
    links: { judged: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } },
    tags: { color: 'blue' },
    meta: { note: { n: 1 } },
    flags: { own: 'mine', trim: true },
  }
  const headers = { Host: 'other.test', 'Content-Type': 'text/plain', Traceparent: '00-1', 'Content-Length': '3' }
  const dressed = { data: { ...revision.data, headers } }
  const labelled = await project.run('/hook/v0/invoke', {
    ...labels,
    secrets: { openai: KEY },
    data: { revision: dressed, inputs: { q: 'labels' } },
  })
  const seenLabels = seen.find(one => one.body.inputs.q === 'labels')
  expect(seenLabels, labelled.text).toMatchObject({ body: labels })
  expect(seenLabels?.headers).toMatchObject({
    host: new URL(url).host,
    'content-type': 'application/json',
    traceparent: expect.stringContaining(labelled.body.trace_id),
  })
  expect(JSON.stringify(seenLabels)).not.toContain(KEY)
  for (const [name, value] of [
    ['a b', 'x'],
    ['x-own', 'two\nlines'],
  ] as const) {
    const wrong = { data: { ...revision.data, headers: { [name]: value } } }
    const refused = await project.run('/hook/v0/invoke', { data: { revision: wrong } })
    expect(refused.body.status, refused.text).toMatchObject({ code: 400, details: { path: `headers.${name}` } })
  }
  for (const [fail, status, fragment] of [
    [418, 418, 'custom-hook-server-error'],
    ['cut', 500, 'custom-hook-client-error'],
  ] as const) {
    const failed = await project.run('/hook/v0/invoke', { data: { revision, inputs: { fail } } })
    expect([failed.status, failed.body.status.type]).toEqual([status, expect.stringMatching(fragment)])
  }
  const spans = await spansOf(body.trace_id, 2)
  expect(spans.find(span => span.span_name === 'http.post').attributes.ag.data.outputs).toMatchObject({ status: 200 })
  expect(JSON.stringify(spans.filter(span => span.parent_id))).not.toContain('mine')
  expect((await late).body.data?.outputs).toBe('late')
  hook.close()
})

test('no key is in any trace, nor in the log', async () => {
  const { body } = await project.post('/api/spans/query', { windowing: { limit: 500 } })
  expect(body.count).toBeGreaterThan(20)
  expect(JSON.stringify(body)).not.toContain(KEY)
  expect(server.output()).not.toContain(KEY)
})

const askingForWeather = (): object => {
  const tool = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }
  const body = asking('gpt-4o-mini', {}, 'What is the weather in Oslo?')
  body.data.parameters.prompt.llm_config.tools = [tool]
  return body
}

test('tools that a model calls are events of the stream', async () => {
  const body = askingForWeather()
  const { text } = await project.run('/completion/v0/invoke', body, { accept: 'application/x-ndjson' })
  const events = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const calls = events.filter(event => event.type === 'tool_call').map(event => event.data)
  expect(calls.at(-1)).toMatchObject({ name: 'get_weather', input: {}, rawInput: expect.any(String) })
  expect(new Set(calls.map(call => call.id)).size).toBe(1)
  expect(events.at(-1).data.outputs).toMatchObject([{ id: calls[0].id, function: { name: 'get_weather' } }])
})

test('the message stream of user interfaces announces a tool call when it begins, and its arguments once', async () => {
  const headers = { accept: 'text/event-stream', 'x-ag-messages-format': 'vercel' }
  const { text } = await project.run('/chat/v0/invoke', askingForWeather(), headers)
  const parts = text
    .split('\n\n')
    .filter(frame => frame.startsWith('data: {'))
    .map(frame => JSON.parse(frame.slice(6)))
  const call = { toolCallId: expect.any(String), toolName: 'get_weather' }
  expect(parts.filter(part => part.type.startsWith('tool-'))).toEqual([
    { type: 'tool-input-start', ...call },
    { type: 'tool-input-available', ...call, input: {} },
  ])
})

test('a stop waits for the runs under way, and their traces are stored', async () => {
  const before = provider.requests.length
  const running = project.run('/completion/v0/invoke', asking('gpt-4o-mini', {}, 'Say it late #fake-delay-1500'))
  await eventually(async () => provider.requests.length > before)
  expect(await server.stop()).toBe(0)
  const { status, body } = await running
  expect(status).toBe(200)
  const again = await startServerProcess({ dataDir, like: server })
  try {
    expect((await spansOf(body.trace_id, 2)).map(span => span.status_code)).toEqual(Array(2).fill('STATUS_CODE_OK'))
  } finally {
    await again.stop()
  }
})
