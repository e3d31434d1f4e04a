import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { type Answer, ask, eventually, newProject } from '../harness.ts'
import { newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

/** What the hosted services do without a provider: canned replies stand in for models. */
const project = await newProject()
const stranger = await newProject()
const { servicesUrl } = inject('target')

const post = (path: string, body: unknown, owner = project) => owner.posted(path, body)
await post('/secrets/', {
  header: { name: 'OpenAI' },
  secret: { kind: 'provider_key', data: { kind: 'openai', provider: { key: 'sk-very-secret-key' } } },
})

const created = async (kind: 'application' | 'evaluator' | 'workflow', data: object, owner = project): Promise<any> =>
  (await post(`/simple/${kind}s/`, { [kind]: { slug: `s-${randomUUID().slice(0, 8)}`, data } }, owner))[kind]

const prompt = (content: string): object => ({
  prompt: { messages: [{ role: 'user', content }], template_format: 'mustache', llm_config: { model: 'gpt-4o-mini' } },
})

async function outputsOf(running: Promise<Answer>): Promise<any> {
  const { status, text, body } = await running
  expect(status, text).toBe(200)
  return body.data.outputs
}

/** The spans of a trace by name, once they are stored. */
async function spansOf(trace_id: string, count = 1, owner = project): Promise<any[]> {
  return eventually(async () => {
    const { body } = await owner.post('/api/spans/query', {
      filter: { conditions: [{ field: 'trace_id', value: trace_id }] },
    })
    return body.count >= count ? body.spans : undefined
  })
}
const rootOf = async (trace_id: string): Promise<any> => (await spansOf(trace_id)).find(span => !span.parent_id)

const exact = { uri: 'agenta:builtin:auto_exact_match:v0', parameters: { correct_answer_key: 'expected' } }
const judged = { inputs: { expected: '4' }, outputs: '4' }

test('an application from its template: created, deployed, retrieved and invoked', async () => {
  const { template } = (await project.get('/api/applications/catalog/templates/completion')).body
  const made = await created('application', { uri: template.data.uri, parameters: prompt('Capital of {{country}}?') })
  expect(made.data.url).toBe(`${servicesUrl}/completion/v0`)
  await post('/applications/revisions/deploy', {
    application_variant_ref: { id: made.variant_id },
    environment_ref: { slug: 'production' },
  })
  const { application_revision } = await post('/applications/revisions/retrieve', {
    environment_ref: { slug: 'production' },
    key: `${made.slug}.revision`,
  })
  const { data } = application_revision
  const path = data.url.slice(servicesUrl.length)
  const body = { data: { inputs: { country: 'Norway' }, parameters: data.parameters } }
  const answer = await project.run(`${path}/invoke?mock=echo`, body)
  expect(answer.body).toMatchObject({
    version: '2025.07.14',
    status: { code: 200, message: 'Success' },
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    data: { outputs: 'Capital of Norway?' },
  })
  const { headers, body: shown } = answer
  expect(headers.get('x-ag-version')).toBe('2025.07.14')
  expect(headers.get('x-ag-trace-id')).toBe(shown.trace_id)
  expect(headers.get('traceparent')).toBe(`00-${shown.trace_id}-${shown.span_id}-01`)
  expect(headers.get('baggage')).toBe(`ag.session.id=${shown.session_id}`)
  expect(headers.get('link')).toBe(`</t/${shown.trace_id}/${shown.span_id}>; rel="describedby"; type="text/html"`)
  const spans = await spansOf(shown.trace_id, 2)
  expect(spans.map(span => [span.span_name, span.span_kind, span.span_type, span.trace_type]).toSorted()).toEqual([
    ['completion_v0', 'SPAN_KIND_SERVER', 'workflow', 'invocation'],
    ['llm.chat', 'SPAN_KIND_CLIENT', 'chat', 'invocation'],
  ])
  const root = spans.find(span => !span.parent_id)
  expect(root).toMatchObject({
    span_id: shown.span_id,
    status_code: 'STATUS_CODE_OK',
    attributes: {
      ag: {
        data: { inputs: { inputs: { country: 'Norway' } }, parameters: data.parameters, outputs: 'Capital of Norway?' },
        session: { id: shown.session_id },
      },
    },
  })
  expect(JSON.stringify(spans)).not.toContain('sk-very-secret')
})

test('references lead to what is run, by environment too, and stand on every span', async () => {
  const made = await created('application', {
    uri: 'agenta:builtin:completion:v0',
    parameters: prompt('Say {{word}}'),
  })
  await post('/applications/revisions/deploy', {
    application_variant_ref: { id: made.variant_id },
    environment_ref: { slug: 'staging' },
  })
  const ways: object[] = [
    { references: { application: { slug: made.slug } } },
    { references: { application: { id: made.id } } },
    { references: { application_variant: { id: made.variant_id } } },
    { references: { application_revision: { id: made.revision_id } } },
    { references: { application_variant: { id: made.variant_id }, application_revision: { version: '1' } } },
    { references: { workflow: { slug: made.slug } } },
    { references: { application: { slug: made.slug }, environment: { slug: 'staging' } } },
    { references: { environment: { slug: 'staging' } }, selector: { key: `${made.slug}.revision` } },
    { references: { application: { slug: made.slug } }, data: { parameters: {}, revision: {} } },
  ]
  for (const way of ways)
    for (const path of ['/completion/v0/invoke', '/invoke']) {
      const { data = {} } = way as { data?: object }
      const body = { ...way, data: { ...data, inputs: { word: 'hi' } } }
      expect(await outputsOf(project.run(`${path}?mock=echo`, body)), JSON.stringify(way)).toBe('Say hi')
    }
  const body = {
    references: { application: { slug: made.slug }, environment: { slug: 'staging' } },
    data: { inputs: { word: 'hi' } },
  }
  const { body: answer } = await project.run('/invoke?mock=echo', body)
  for (const { attributes } of await spansOf(answer.trace_id, 2)) {
    expect(attributes.ag.references).toMatchObject({
      application: { id: made.id, slug: made.slug },
      application_variant: { id: made.variant_id },
      application_revision: { id: made.revision_id, version: '1' },
      environment: { slug: 'staging' },
    })
    expect(attributes.ag.selector).toEqual({ key: `${made.slug}.revision` })
  }
  const { invocations } = await eventually(async () => {
    const found = await post('/invocations/query', { invocation: { references: { application: { id: made.id } } } })
    return found.invocations?.length > 0 ? found : undefined
  })
  expect(invocations[0].trace_id).toMatch(/^[0-9a-f]{32}$/)
})

test('references that lead nowhere are named in a 404; those that contradict are a 400', async () => {
  const cases: [object, number, RegExp][] = [
    [{ references: { application: { slug: 'no-such' } } }, 404, /application no-such/],
    [{ references: { evaluator_revision: { id: randomUUID() } } }, 404, /evaluator_revision/],
    [{ references: { environment: { slug: 'production' } }, selector: { key: 'nothing.here' } }, 404, /environment/],
    [{ references: { environment: { slug: 'production' } } }, 400, /selector\.key/],
    [{ references: { application: { slug: 'a' }, evaluator: { slug: 'b' } } }, 400, /cannot be combined/],
  ]
  for (const [body, code, message] of cases)
    for (const path of ['/completion/v0/invoke', '/invoke']) {
      const { status, body: answer } = await project.run(path, body)
      expect([status, answer.status.code, answer.status.message]).toEqual([code, code, expect.stringMatching(message)])
    }
})

test('a project runs nothing of another one, and uses none of its keys', async () => {
  const made = await created('application', { uri: 'agenta:builtin:completion:v0', parameters: prompt('x') })
  for (const references of [
    { application: { id: made.id } },
    { application_revision: { id: made.revision_id } },
    { application: { slug: made.slug } },
  ])
    expect((await stranger.run('/invoke?mock=hello', { references })).status).toBe(404)
  const { status, body } = await stranger.run('/completion/v0/invoke?mock=hello', { data: { parameters: prompt('x') } })
  expect([status, body.status.message]).toEqual([
    400,
    expect.stringContaining("No API key found for model 'gpt-4o-mini'"),
  ])
  expect(body.status.type).toMatch(/\/errors#v0:schemas:invalid-secrets$/)
  // The judge asks for its key before it renders a prompt, which lacks a variable here.
  const parameters = { prompt_template: [{ role: 'user', content: '{{nobody}}' }], model: 'gpt-4o' }
  const unjudged = await stranger.run('/auto_ai_critique/v0/invoke', { data: { parameters, ...judged } })
  expect([unjudged.status, unjudged.body.status.message]).toEqual([
    400,
    expect.stringContaining("No API key found for model 'gpt-4o'"),
  ])
  const { trace_id } = (await project.run('/auto_exact_match/v0/invoke', { data: { ...exact, ...judged } })).body
  await spansOf(trace_id)
  const { body: seen } = await stranger.post('/api/spans/query', {
    filter: { conditions: [{ field: 'trace_id', value: trace_id }] },
  })
  expect(seen.count).toBe(0)
})

test('a run of an evaluator is an annotation with its links, labels, session and baggage', async () => {
  const made = await created('evaluator', exact)
  const links = { invocation: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } }
  const { body } = await project.run(
    '/auto_exact_match/v0/invoke',
    {
      references: { evaluator: { slug: made.slug } },
      links,
      flags: { is_mine: true },
      tags: { team: 'blue' },
      meta: { note: { a: 1 } },
      session_id: 'session.1:a-b',
      data: {
        ...judged,
        trace: { trace_id: 'c'.repeat(32), spans: { r: { span_id: 'd'.repeat(16), secret: 'big' } } },
      },
    },
    { baggage: 'ag.user.id=user%201,other=x' },
  )
  expect(body).toMatchObject({ session_id: 'session.1:a-b', data: { outputs: { success: true } } })
  const root = await rootOf(body.trace_id)
  expect(root).toMatchObject({ trace_type: 'annotation', session_id: 'session.1:a-b', user_id: 'user 1' })
  expect(root.links).toEqual([
    { ...links.invocation, attributes: { key: 'invocation' } },
    { trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16), attributes: { key: 'trace' } },
  ])
  expect(root.attributes.ag).toMatchObject({
    tags: { team: 'blue' },
    meta: { note: { a: 1 } },
    flags: { is_mine: true, is_evaluator: true },
    data: { inputs: { parameters: { correct_answer_key: 'expected' }, ...judged }, outputs: { success: true } },
  })
  expect(JSON.stringify(root)).not.toContain('big')
  const { annotations } = await eventually(async () => {
    const found = await post('/annotations/query', { annotation: { references: { evaluator: { slug: made.slug } } } })
    return found.annotations?.length === 1 ? found : undefined
  })
  expect(annotations[0]).toMatchObject({ trace_id: body.trace_id, links, data: { outputs: { success: true } } })
})

test("the caller's trace goes on", async () => {
  const trace_id = randomUUID().replaceAll('-', '')
  const traceparent = `00-${trace_id}-${'7'.repeat(16)}-01`
  const { body, headers } = await project.run(
    '/auto_exact_match/v0/invoke',
    { data: { ...exact, ...judged } },
    { traceparent },
  )
  expect([body.trace_id, headers.get('x-ag-trace-id')]).toEqual([trace_id, trace_id])
  const [span] = await spansOf(trace_id)
  expect(span).toMatchObject({ parent_id: '7'.repeat(16), span_id: body.span_id })
  expect(span.attributes.ag.data.parameters).toEqual(exact.parameters)
})

test("an evaluator inside a client's trace leaves it an invocation, unless the run says what it judges", async () => {
  const other = { trace_id: newTraceId(), span_id: newSpanId() }
  for (const [linkedTo, type] of [
    [undefined, 'invocation'],
    ['itself', 'annotation'],
    ['another', 'annotation'],
  ] as const) {
    const root = otlpSpan({ traceId: newTraceId(), name: 'agent' })
    const { traceId: trace_id, spanId: span_id } = root
    await project.store(root)
    const invocation = linkedTo === 'itself' ? { trace_id, span_id } : other
    const { body } = await project.run(
      '/auto_exact_match/v0/invoke',
      { links: linkedTo && { invocation }, data: { ...exact, ...judged } },
      { traceparent: `00-${trace_id}-${span_id}-01` },
    )
    expect([body.trace_id, body.data.outputs]).toEqual([trace_id, { success: true }])
    // The client's span was stored before the run's link: its type follows a moment later.
    await eventually(async () => {
      const types = (await spansOf(trace_id, 2)).map(span => span.trace_type)
      return types.every(each => each === type) || undefined
    })
  }
})

test('mistakes of callers', async () => {
  const cases: (readonly [path: string, body: unknown, status: number, fragment: string | undefined])[] = [
    ['/completion/v0/invoke', [], 422, undefined],
    ['/completion/v0/invoke', '{', 422, undefined],
    ['/completion/v0/invoke', { data: { inputs: 1 } }, 422, undefined],
    ['/completion/v0/invoke', { data: { parameters: [] } }, 422, undefined],
    ['/completion/v0/invoke', { data: { trace: 'x' } }, 422, undefined],
    ['/completion/v0/invoke', { data: { testcase: [] } }, 422, undefined],
    ['/echo/v0/invoke', { data: { revision: { data: { uri: 'echo', zzz: 1 } } } }, 422, undefined],
    ['/completion/v0/invoke', { references: { application: { id: 'no-uuid' } } }, 422, undefined],
    ['/completion/v0/invoke', { links: { a: { trace_id: 'x', span_id: 'y' } } }, 422, undefined],
    ['/completion/v0/invoke', { session_id: 'a b' }, 400, 'v0:schemas:invalid-input'],
    ['/completion/v0/invoke', { session_id: 'x'.repeat(129) }, 400, 'v0:schemas:invalid-input'],
    ['/completion/v0/invoke', {}, 400, 'v0:schemas:missing-parameter'],
    ['/invoke', {}, 400, 'v0:interface:invalid-uri'],
    [
      '/invoke',
      { data: { revision: { data: { uri: 'agenta:builtin:nonsense:v0' } } } },
      400,
      'v0:interface:invalid-uri',
    ],
    ['/invoke', { data: { revision: { data: { uri: 'agenta:builtin:chat:v7' } } } }, 400, 'v0:interface:invalid-uri'],
    [
      '/completion/v0/invoke',
      { data: { revision: { data: { uri: 'agenta:builtin:chat:v0' } } } },
      400,
      'v0:interface:invalid-uri',
    ],
    ...['/invoke', '/completion/v0/invoke'].map(
      path =>
        [path, { references: { application: { slug: 'none' } } }, 404, 'v1:sdk:unknown-workflow-invoke-error'] as const,
    ),
    ['/hook/v0/invoke', {}, 400, 'v0:schemas:missing-parameter'],
    ['/feedback/v0/invoke', {}, 400, 'v0:workflows:feedback-error'],
    ['/agent/v0/invoke', {}, 501, 'v0:workflows:agent-not-implemented'],
    [
      '/hook/v0/invoke',
      { data: { revision: { data: { url: 'http://127.0.0.1:1/' } } } },
      400,
      'v0:schemas:invalid-parameter',
    ],
    ['/auto_exact_match/v0/invoke', { data: { inputs: {}, outputs: 'x' } }, 400, 'v0:schemas:missing-input'],
    [
      '/completion/v0/invoke',
      { data: { parameters: { a: { '@ag.embed': {} } } } },
      400,
      'v1:sdk:unknown-workflow-invoke-error',
    ],
  ]
  const traces: string[] = []
  const types = new Set<string>()
  for (const [path, body, status, fragment] of cases) {
    const answer = await project.run(path, body)
    expect(answer.status, `${path} ${JSON.stringify(body).slice(0, 200)} ${answer.text}`).toBe(status)
    expect(answer.headers.get('x-ag-version')).toBe('2025.07.14')
    if (fragment === undefined) expect(answer.body.detail).toEqual(expect.any(Array))
    else {
      expect(answer.body.status.type).toMatch(new RegExp(`/errors#${fragment}$`))
      types.add(answer.body.status.type)
    }
    expect(answer.text).not.toMatch(/stack|\.ts:/)
    traces.push(answer.headers.get('x-ag-trace-id') as string)
  }
  expect(new Set(traces).size).toBe(cases.length)
  for (const type of types) {
    const page = await ask(type)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`id="${new URL(type).hash.slice(1)}"`) })
  }
  for (const [n, trace_id] of traces.entries()) {
    const root = await rootOf(trace_id)
    const path = cases[n]?.[0]
    expect([path, root.status_code, root.span_name]).toEqual([path, 'STATUS_CODE_ERROR', expect.stringMatching(/_v0$/)])
  }
})

test('variables that are missing are named', async () => {
  const parameters = { prompt: { messages: [{ role: 'user', content: '{{a}} {{b}}' }], template_format: 'curly' } }
  const { status, body } = await project.run('/completion/v0/invoke?mock=hello', {
    data: { inputs: { a: 1 }, parameters },
  })
  expect([status, body.status.message]).toEqual([400, expect.stringContaining('b')])
  expect(body.status.type).toMatch(/prompt-formatting-error$/)
  expect((await rootOf(body.trace_id)).attributes.ag.exception.message).toBe(body.status.message)
})

test('embeds are resolved in both forms, also in what is sent', async () => {
  const snippet = await created('workflow', { parameters: { text: 'embedded words' } })
  const compact = `@{{workflow.slug=${snippet.slug}, path=text}}`
  const parameters = prompt(compact)
  expect(await outputsOf(project.run('/completion/v0/invoke?mock=echo', { data: { parameters } }))).toBe(
    'embedded words',
  )
  const made = await created('application', { uri: 'agenta:builtin:completion:v0', parameters })
  const references = { application: { id: made.id } }
  expect(await outputsOf(project.run('/invoke?mock=echo', { references }))).toBe('embedded words')
  const unresolved = { flags: { resolve: false }, data: { parameters: prompt('@{{x}}') } }
  expect((await project.run('/completion/v0/invoke?mock=echo', unresolved)).status).toBe(200)
})

test('a chat history may accompany the inputs', async () => {
  const parameters = { prompt: { messages: [{ role: 'system', content: 's' }], llm_config: { model: 'gpt-4o-mini' } } }
  const messages = [{ role: 'user', content: 'the last word' }]
  for (const data of [
    { inputs: { messages }, parameters },
    { inputs: {}, messages, parameters },
    { messages, parameters },
  ])
    expect(await outputsOf(project.run('/chat/v0/invoke?mock=echo', { data }))).toEqual({
      role: 'assistant',
      content: 'the last word',
    })
})

const spoken = { data: { parameters: prompt('hello') } }

test('streams: events, and the whole answer at the end', async () => {
  const sse = await project.run('/completion/v0/invoke?mock=echo', spoken, { accept: 'text/event-stream' })
  expect(sse.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const events = sse.text
    .split('\n\n')
    .filter(Boolean)
    .map(frame => JSON.parse(frame.replace(/^data: /, '')))
  expect(events.map(event => event.type ?? 'answer')).toEqual([
    'message_start',
    'message_delta',
    'message_end',
    'done',
    'answer',
  ])
  expect(events[1].data.delta).toBe('hello')
  expect(events.at(-1)).toMatchObject({ status: { code: 200 }, data: { outputs: 'hello' } })
  expect(events.at(-2).data.traceId).toBe(events.at(-1).trace_id)
  const lines = await project.run('/completion/v0/invoke?mock=echo', { ...spoken, flags: { stream: true } })
  expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
  expect(
    lines.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).type ?? 'answer'),
  ).toHaveLength(5)
  const batch = await project.run(
    '/auto_exact_match/v0/invoke',
    { data: { ...exact, ...judged } },
    { accept: 'text/event-stream' },
  )
  expect(JSON.parse(batch.text.replace(/^data: /, ''))).toMatchObject({ data: { outputs: { success: true } } })
  const pass = { data: { parameters: { key: 'pass' } } }
  const silent = await project.run('/mock/v0/invoke', pass, { accept: 'text/event-stream' })
  expect(JSON.parse(silent.text.replace(/^data: /, ''))).toMatchObject({ data: { outputs: { success: true } } })
})

test('a large result behind a large event arrives whole', async () => {
  const content = 'x'.repeat(6 * 1024 * 1024)
  const body = { data: { parameters: prompt('hello'), inputs: { messages: [{ role: 'user', content }] } } }
  const { text } = await project.run('/chat/v0/invoke?mock=echo', body, { accept: 'application/x-ndjson' })
  const last = JSON.parse(text.trim().split('\n').at(-1) as string)
  expect(last.status).toMatchObject({ code: 200 })
  expect(last.data.outputs.content).toHaveLength(content.length)
})

test('a stream that fails before its first event is an answer in JSON', async () => {
  const answer = await project.run('/completion/v0/invoke?mock=error', spoken, { accept: 'text/event-stream' })
  expect([answer.status, answer.body.status.code]).toEqual([500, 500])
  expect(answer.body.status.type).toMatch(/prompt-completion-error$/)
})

test('what cannot be answered with is refused before anything runs', async () => {
  for (const [headers, body] of [
    [{ accept: '*/*;q=0' }, spoken],
    [{ accept: 'application/json' }, { ...spoken, flags: { stream: true } }],
  ] as const) {
    const { status, body: answer } = await project.run('/completion/v0/invoke?mock=echo', body, headers)
    expect([status, answer.requested, answer.supported]).toEqual([406, headers.accept, expect.any(Array)])
    expect(answer.trace_id).toMatch(/^[0-9a-f]{32}$/)
  }
})

test("a revision's data is held to the rules of a stored one, with or without the revision around it", async () => {
  const wrong: [data: object, place: (string | number)[]][] = [
    [{ zzz: 1 }, ['zzz']],
    [{ parameters: 'x' }, ['parameters']],
    [{ schemas: 'x' }, ['schemas']],
    [{ headers: { a: 1 } }, ['headers', 'a']],
  ]
  for (const [data, place] of wrong) {
    const [whole, bare] = [
      { id: 'any', data: { uri: 'echo', ...data } },
      { uri: 'echo', ...data },
    ]
    for (const [path, body, loc] of [
      ['/echo/v0/invoke', { data: { revision: whole } }, ['body', 'data', 'revision', 'data', ...place]],
      ['/invoke', { data: { revision: bare } }, ['body', 'data', 'revision', ...place]],
      ['/inspect', { revision: whole }, ['body', 'revision', 'data', ...place]],
    ] as const) {
      const { status, body: answer, text } = await project.run(path, body)
      expect([status, answer.detail?.[0]?.loc], text).toEqual([422, loc])
    }
  }
  const nothing = { data: { revision: { data: null, id: 'any' }, inputs: { aloha: 1 } } }
  expect(await outputsOf(project.run('/echo/v0/invoke', nothing))).toEqual({ got: 1 })
})

test('the message stream of user interfaces', async () => {
  const headers = { accept: 'text/event-stream', 'x-ag-messages-format': 'vercel' }
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'from the page' }] }]
  const parameters = { prompt: { messages: [{ role: 'system', content: 's' }], llm_config: { model: 'gpt-4o-mini' } } }
  const answer = await project.run('/chat/v0/invoke?mock=echo', { data: { inputs: { messages }, parameters } }, headers)
  expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(answer.text).toMatch(/data: \[DONE\]\n\n$/)
  const parts = answer.text
    .split('\n\n')
    .filter(frame => frame.startsWith('data: {'))
    .map(frame => JSON.parse(frame.slice(6)))
  expect(parts.map(part => part.type)).toEqual([
    ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
  ])
  expect(parts[3].delta).toBe('from the page')
  expect(parts.at(-1)).toMatchObject({ finishReason: 'stop', messageMetadata: { traceId: expect.any(String) } })
})

test('callers without permission are refused; health and descriptions are public', async () => {
  const anonymous = (path: string, init?: RequestInit) => ask(`${servicesUrl}${path}`, init)
  expect((await anonymous('/invoke', { method: 'POST', body: '{}' })).status).toBe(401)
  expect((await anonymous('/completion/v0/invoke', { method: 'POST', body: '{}' })).status).toBe(401)
  for (const path of ['/health', '/completion/v0/health']) expect((await anonymous(path)).text).toBe('{"status":"ok"}')
  expect((await anonymous('/nonsense/v0/health')).status).toBe(404)
  const { body } = await anonymous('/chat/v0/openapi.json')
  expect(body.paths['/invoke'].post.requestBody).toBeDefined()
  expect(JSON.stringify(body)).toContain('"x-ag-type-ref":"messages"')
  expect((await anonymous('/openapi.json')).body.info.description).toContain('/auto_exact_match/v0')
  const preflight = await anonymous('/chat/v0/invoke', {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://page.example')
  expect(preflight.headers.get('access-control-allow-credentials')).toBe('true')
})

test('inspect describes what would run', async () => {
  const own = await project.run('/completion/v0/inspect', '')
  expect(own.body).toMatchObject({
    version: '2025.07.14',
    revision: { data: { uri: 'agenta:builtin:completion:v0', schemas: { parameters: { type: 'object' } } } },
    request: { data: { revision: { data: { uri: 'agenta:builtin:completion:v0' } } } },
  })
  const made = await created('evaluator', exact)
  const { body } = await project.run('/inspect', { references: { evaluator: { slug: made.slug } } })
  expect(body.revision.data).toMatchObject({ uri: exact.uri, parameters: exact.parameters })
  const again = await project.run('/invoke', { ...body.request, data: { ...body.request.data, ...judged } })
  expect(again.body.data.outputs).toEqual({ success: true })
  const missing = await project.run('/inspect', { references: { evaluator: { slug: 'none' } } })
  expect([missing.status, missing.body]).toEqual([404, { details: { message: expect.stringContaining('none') } }])
  const hookOnly = await project.run('/inspect', {
    revision: { data: { uri: 'agenta:custom:hook:v0', url: 'http://127.0.0.1/' } },
  })
  expect(hookOnly.status).toBe(200)
  const unknown = await project.run('/inspect', { revision: { data: { uri: 'agenta:builtin:nonsense:v0' } } })
  expect([unknown.status, unknown.body]).toEqual([400, { details: expect.any(String) }])
})

test('the addresses of older clients', async () => {
  const made = await created('application', { uri: 'agenta:builtin:completion:v0', parameters: prompt('{{a}}') })
  const body = { app: made.slug, inputs: { a: 'old' } }
  for (const operation of ['run', 'generate', 'generate_deployed', 'test']) {
    const { status, body: answer } = await project.run(`/completion/${operation}?mock=echo`, body)
    expect([status, answer]).toEqual([
      200,
      {
        version: '3.0',
        data: 'old',
        content_type: 'text/plain',
        tree: null,
        tree_id: expect.stringMatching(/^[0-9a-f]{8}-/),
        trace_id: expect.any(String),
        span_id: expect.any(String),
      },
    ])
  }
  const missing = await project.run('/completion/run', { app: 'nothing' })
  expect([missing.status, missing.body.version]).toEqual([404, '2025.07.14'])
})
