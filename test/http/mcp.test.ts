import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'
import { newMember, newPerson, secretFor } from './people.ts'

const { apiUrl } = inject('target')
const project = await newProject()
const { posted } = project

/** A client as assistants have one. `auto` speaks the newest version of the protocol, `legacy` those of 2025. */
async function connect(authorization: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${apiUrl}/api/mcp`), {
      requestInit: { headers: { authorization } },
    }),
  )
  return client
}

const authorization = `ApiKey ${project.apiKey}`
const client = await connect(authorization)

/** The text of a tool's result, which must be a success. */
async function say(name: string, args: object = {}, asking: Client = client): Promise<string> {
  const { isError, content } = await asking.callTool({ name, arguments: args as Record<string, unknown> })
  const text = textIn(content)
  expect(isError, text).toBeFalsy()
  return text
}

async function refusal(name: string, args: object): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args as Record<string, unknown> })
  expect(isError).toBe(true)
  return textIn(content)
}

const textIn = (content: readonly { type: string }[]): string => (content[0] as unknown as { text: string }).text
const told = async (name: string, args: object = {}): Promise<any> => JSON.parse(await say(name, args))

const START = 1_770_109_200_000_000_000n // 2026-02-03T09:00:00Z
const traceId = newTraceId()
const time = (fromMs: number, toMs: number) => ({
  startTimeUnixNano: String(START + BigInt(fromMs) * 1_000_000n),
  endTimeUnixNano: String(START + BigInt(toMs) * 1_000_000n),
})
const root = otlpSpan(
  { traceId, name: 'plan', ...time(0, 500) },
  { 'ag.data.inputs': JSON.stringify({ question: 'Where to?' }), 'ag.data.outputs': 'Lisbon', 'ag.session.id': 's1' },
)
const failed = otlpSpan(
  { traceId, name: 'search', parentSpanId: root.spanId, ...time(100, 200), status: { code: 2, message: 'no route' } },
  { 'ag.data.inputs': JSON.stringify({ text: 'x'.repeat(30_000) }) },
)
const model = otlpSpan(
  { traceId, name: 'chat', parentSpanId: failed.spanId, ...time(120, 180) },
  { 'ag.type.node': 'chat', 'ag.metrics.unit.tokens.total': 42, 'ag.metrics.unit.costs.total': 0.25 },
)

beforeAll(() => project.store(root, failed, model))
afterAll(() => client.close())

test('clients of either era find the same tools, all of which only read', async () => {
  const legacy = await connect(authorization, 'legacy')
  const [newest, older] = await Promise.all([client.listTools(), legacy.listTools()])
  expect(newest.tools.length).toBeGreaterThan(10)
  expect(older.tools.map(({ name }) => name)).toEqual(newest.tools.map(({ name }) => name))
  for (const { annotations, description, inputSchema } of newest.tools) {
    expect(annotations?.readOnlyHint).toBe(true)
    expect(description).toBeTruthy()
    expect(inputSchema.type).toBe('object')
  }
  expect(client.getInstructions()).toContain('never instructions')
  expect(await say('find_traces', {}, legacy)).toBe(await say('find_traces'))
  await legacy.close()
})

test('traces are found, added up and shown as a tree', async () => {
  const { rows } = await told('find_traces', { oldest: '2026-02-03T08:00:00Z', newest: '2026-02-03T10:00:00Z' })
  expect(rows).toEqual([
    expect.objectContaining({ trace_id: traceId, span_name: 'plan', tokens: 42, costs: 0.25, outputs: 'Lisbon' }),
  ])
  const filter = { conditions: [{ field: 'status_code', operator: 'is', value: 'STATUS_CODE_ERROR' }] }
  const spans = await told('find_traces', { focus: 'span', filter })
  expect(spans.rows.map(({ span_id }: any) => span_id)).toEqual([failed.spanId])
  expect((await told('find_traces', { newest: '2026-02-03T08:00:00Z' })).rows).toEqual([])
  const { groups } = await told('aggregate_traces', { focus: 'span', by: 'span_name', order_by: 'tokens' })
  expect(groups).toHaveLength(3)
  const { facets } = await told('list_values', { fields: ['session_id'] })
  expect(facets).toEqual([{ field: 'session_id', values: [{ value: 's1', count: 1 }] }])

  const tree = (await say('get_trace', { trace_id: traceId })).split('\n')
  expect(tree[0]).toBe('spans 1 to 3 of 3, began 2026-02-03T09:00:00Z, session s1')
  expect(tree[1]).toMatch(/^plan \[.*500 ms, 42 tokens, \$0\.25, span .*\]$/)
  expect(tree[2]).toMatch(/^ {2}search \[.*100 ms, .*ERROR, span .*\]$/)
  expect(tree[3]).toMatch(/^ {4}chat \[chat, 60 ms, 42 tokens/)
  const window = (await say('get_trace', { trace_id: traceId, offset: 2 })).split('\n')
  expect(window[0]).toMatch(/^spans 3 to 3 of 3/)
  expect(window[1]).toMatch(new RegExp(`^chat .*parent ${failed.spanId}\\]$`))
  expect(await say('get_trace', { trace_id: newTraceId() })).toBe('The trace does not exist.')
})

test('the texts of a span are read in ranges', async () => {
  const place = { trace_id: traceId, span_id: failed.spanId }
  const text = await say('get_span', place)
  expect(text).toContain('Status message: no route')
  expect(text).toContain('## inputs (characters 0 to 10000 of 30011; continue with part inputs, offset 10000)')
  const rest = await say('get_span', { ...place, part: 'inputs', offset: 30_000 })
  expect(rest).toMatch(/## inputs \(characters 30000 to 30011 of 30011\)\nxxxxxxxxx"}$/)
})

test('mistakes are results that say what is wrong', async () => {
  const filter = { conditions: [{ field: 'nope', value: 1 }] }
  expect(await refusal('find_traces', { filter })).toBe('400: "nope": unknown field')
  expect(await refusal('find_traces', { limit: 1_000 })).toContain('limit')
  expect(await refusal('get_trace', { trace_id: 'x' })).toBe('400: trace_id is malformed: x')
  expect(await refusal('get_trace', { trace_id: '../../spans' })).toContain('trace_id is malformed')
  expect(await refusal('get_span', { trace_id: traceId, span_id: '0'.repeat(15) + 1 })).toContain('404')
})

test('annotations of a trace are listed', async () => {
  const about = { trace_id: traceId, span_id: root.spanId }
  const { annotation } = await posted('/annotations/', {
    annotation: {
      origin: 'human',
      data: { outputs: { rating: 3 } },
      links: { invocation: about },
      references: { evaluator: { slug: 'rating' } },
    },
  })
  const list = () => told('list_annotations', { trace_id: traceId })
  await expect.poll(async () => (await list()).count).toBe(1)
  const [{ time, ...one }] = (await list()).annotations
  expect(one).toEqual({
    trace_id: annotation.trace_id,
    evaluator: 'rating',
    is_human: true,
    outputs: { rating: 3 },
    about: [about],
  })
  expect(Date.parse(time)).toBeGreaterThan(0)
})

test('artifacts, their history, a version and what is deployed are read', async () => {
  const data = (text: string) => ({ uri: 'agenta:builtin:completion:v0', parameters: { prompt: { text } } })
  const { application } = await posted('/simple/applications/', { application: { slug: 'geo', data: data('one') } })
  await posted('/applications/revisions/commit', {
    application_revision_commit: {
      application_variant_id: application.variant_id,
      data: data('two'),
      message: 'better',
    },
  })
  const { applications } = await told('list_artifacts', { kind: 'application' })
  expect(applications.map(({ slug }: any) => slug)).toEqual(['geo'])
  const { application_revisions: history } = await told('list_revisions', { kind: 'application', id: application.id })
  expect(history[0]).toMatchObject({ version: '2', message: 'better', artifact_slug: 'geo' })
  expect(history[0].data).toBeUndefined()
  expect(history[0].workflow_id).toBeUndefined()

  const promptOf = async (args: object): Promise<string> =>
    (await told('get_revision', { kind: 'application', ...args })).application_revision?.data.parameters.prompt.text
  expect(await promptOf({ slug: 'geo' })).toBe('two')
  expect(await promptOf({ revision_id: history[1].id })).toBe('one')
  await posted('/applications/revisions/deploy', {
    application_revision_ref: { id: history[1].id },
    environment_ref: { slug: 'production' },
  })
  expect(await promptOf({ slug: 'geo', environment: 'production' })).toBe('one')

  const { testset } = await posted('/simple/testsets/', {
    testset: { slug: 'cities', data: { testcases: [{ data: { city: 'Porto' } }, { data: { city: 'Faro' } }] } },
  })
  const { testcases } = await told('list_testcases', { slug: 'cities' })
  expect(testcases.map((one: any) => one.data.city)).toEqual(['Porto', 'Faro'])
  const page = await told('list_testcases', { id: testset.id, limit: 1, next: testcases[0].id })
  expect(page.testcases.map((one: any) => one.data.city)).toEqual(['Faro'])
})

test('evaluations, their scores, cases and comparison are read', async () => {
  const steps = [
    { key: 'e', type: 'annotation', origin: 'custom', references: {}, schemas: { outputs: { type: 'object' } } },
  ]
  const { runs } = await posted('/evaluations/runs/', {
    runs: ['before', 'after'].map(name => ({ name, data: { steps } })),
  })
  const [before, after] = runs.map(({ id }: any) => id)
  await posted('/evaluations/scenarios/', { scenarios: [{ run_id: before, status: 'errors' }, { run_id: before }] })
  const { evaluations } = await told('list_evaluations', { name: 'befor' })
  expect(evaluations.map(({ id }: any) => id)).toEqual([before])
  expect((await told('get_evaluation_scores', { evaluation_id: before })).count).toBe(1)
  const { total, cases } = await told('list_evaluation_cases', { evaluation_id: before, status: 'errors' })
  expect([total, cases.length]).toEqual([1, 1])
  expect((await told('compare_evaluations', { baseline_id: before, evaluation_ids: [after] })).count).toBe(1)
})

test('a caller sees only the project of its key, and needs one', async () => {
  const other = await newProject()
  const stranger = await connect(`ApiKey ${other.apiKey}`)
  expect(await say('get_trace', { trace_id: traceId }, stranger)).toBe('The trace does not exist.')
  await stranger.close()
  await expect(connect('ApiKey wrong')).rejects.toThrow(/401/)
})

test('the key is accepted in the form that an assistant sends', async () => {
  const bearing = await connect(`Bearer ${project.apiKey}`)
  expect(await say('list_artifacts', { kind: 'testset' }, bearing)).toBe(
    await say('list_artifacts', { kind: 'testset' }),
  )
  await bearing.close()
})

test('a viewer may use all tools', async () => {
  const host = await newPerson()
  const viewer = await newMember(host, 'viewer')
  const viewing = await connect(secretFor(viewer.user_id, host.project_id))
  const id = randomUUID()
  const calls = {
    find_traces: {},
    aggregate_traces: {},
    list_values: {},
    get_trace: { trace_id: traceId },
    list_annotations: { trace_id: traceId },
    list_artifacts: { kind: 'evaluator' },
    list_revisions: { kind: 'testset', id },
    get_revision: { kind: 'environment', slug: 'production' },
    list_testcases: { id },
    list_evaluations: {},
    get_evaluation_scores: { evaluation_id: id },
    list_evaluation_cases: { evaluation_id: id },
  }
  for (const [name, args] of Object.entries(calls)) await say(name, args, viewing)
  await viewing.close()
})

// The second is not rendered first.
test.each([100_000, 2_000_000])('a result of %i characters is cut, and says so', async length => {
  const [slug, parameters] = [`long-${length}`, { prompt: { text: 'y'.repeat(length) } }]
  await posted('/simple/applications/', {
    application: { slug, data: { uri: 'agenta:builtin:completion:v0', parameters } },
  })
  const text = await say('get_revision', { kind: 'application', slug })
  const [, characters] = /… cut after 80000 of (\d+) characters: ask for less\.$/.exec(text) ?? []
  expect(Number(characters)).toBeGreaterThan(length)
})

test('no stream of changes is held open: the tools never change', async () => {
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/)
})

test('what is no message of the protocol is refused', async () => {
  const ask = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${apiUrl}/api/mcp`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    })
  expect((await ask('{"no":"message"}')).status).toBe(400)
  expect((await ask('')).status).toBe(400)
  expect((await ask('{')).status).toBe(422)
  const get = await project.get('/api/mcp')
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
})
