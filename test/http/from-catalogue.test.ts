import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { newProject } from '../harness.ts'

const project = await newProject()

async function ok(answer: Promise<{ status: number; text: string; body: any }>): Promise<any> {
  const { status, text, body } = await answer
  expect(status, text).toBe(200)
  return body
}
const get = (path: string) => ok(project.get(`/api${path}`))
const post = project.posted

const create = async (plural: string, data: unknown, more: object = {}): Promise<any> => {
  const kind = plural.slice(0, -1)
  return (await post(`/simple/${plural}/`, { [kind]: { slug: randomUUID(), data, ...more } }))[kind]
}

const { templates } = await get('/evaluators/catalog/templates?include_archived=true')
const withPresets = await Promise.all(
  templates.map(async ({ key }: any) => (await get(`/evaluators/catalog/templates/${key}`)).template),
)
const presets = withPresets.flatMap(template =>
  template.presets.map((preset: any) => [template.key, preset.key, preset]),
)

const FREE = new Set(['auto_custom_code_run'])

test.each<[string, any]>(templates.map((template: any) => [template.key, template]))(
  'an evaluator from the template %s',
  async (key, { data, uri, schemas }) => {
    const { uri: _uri, ...pinned } = data
    const made = await create('evaluators', { uri, parameters: pinned.parameters ?? {} })
    const isCustom = uri.includes(':custom:')
    expect(made.data).toMatchObject({ uri, url: expect.stringMatching(new RegExp(`/services/${key}/v0$`)) })
    expect(made.flags).toMatchObject({ is_evaluator: true, is_managed: true, is_custom: isCustom, has_url: true })
    if (isCustom) return
    expect(made.data.schemas.parameters).toEqual(schemas.parameters)
    if (!FREE.has(key)) expect(made.data.schemas.outputs).toMatchObject({ type: 'object' })
    const fetched = await get(`/simple/evaluators/${made.id}`)
    expect(fetched.evaluator).toEqual(made)
  },
)

test.each(presets)('an evaluator from the preset %s/%s', async (_key, _preset, { data }) => {
  const made = await create('evaluators', data)
  const { evaluator_revision } = await post('/evaluators/revisions/retrieve', {
    evaluator_variant_ref: { id: made.variant_id },
  })
  expect(evaluator_revision).toMatchObject({ id: made.revision_id, version: '1', data: made.data })
  expect(made.data.parameters).toEqual(data.parameters)
  const judged = data.parameters?.json_schema?.schema
  if (judged) expect(made.data.schemas.outputs).toEqual(judged)
  if (data.schemas) expect(made.data.schemas.outputs).toEqual(data.schemas.outputs)
})

const APPLICATION_KEYS = ['completion', 'chat', 'llm', 'agent', 'hook', 'code', 'mock', 'feedback']
const DERIVED: Record<string, string[]> = {
  completion: [],
  chat: ['is_chat'],
  llm: ['is_llm'],
  agent: ['is_agent'],
  mock: ['is_custom'],
  hook: ['is_custom', 'is_hook'],
  code: ['is_custom', 'is_code'],
  feedback: ['is_custom', 'is_feedback'],
}

test.each(APPLICATION_KEYS)('an application from the template %s', async key => {
  const { template } = await get(`/applications/catalog/templates/${key}`)
  const made = await create('applications', template.data)
  expect(made.data).toMatchObject({ ...template.data, url: expect.stringMatching(`/services/${key}/v0$`) })
  const flags = Object.entries(made.flags).flatMap(([name, is]) => (is ? [name] : []))
  expect(flags.toSorted()).toEqual(['has_url', 'is_application', 'is_managed', ...(DERIVED[key] ?? [])].toSorted())
  expect(Object.keys(made.flags)).toHaveLength(17)
  const { application_revision } = await post('/applications/revisions/retrieve', { application_ref: { id: made.id } })
  expect(application_revision.data).toEqual(made.data)
})

test('the data is closed, and what is wrong with it is named', async () => {
  const cases: [object, unknown[]][] = [
    [{ uri: 'agenta:builtin:chat:v0', nonsense: 1 }, ['data', 'nonsense']],
    [{ uri: 'agenta:builtin:no_such_key:v0' }, ['data', 'uri']],
    [{ uri: 'no_such_key' }, ['data', 'uri']],
    [{ url: 'ftp://x' }, ['data', 'url']],
    [{ url: 'nowhere' }, ['data', 'url']],
    [{ schemas: { inputs: { type: 'objet' } } }, ['data', 'schemas', 'inputs']],
    [{ schemas: { outputs: { properties: { a: { pattern: '(' } } } } }, ['data', 'schemas', 'outputs']],
    [
      { schemas: { parameters: { $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: 3 } } },
      ['data', 'schemas', 'parameters'],
    ],
    // Also where the simple evaluator surface would replace the schema by the handler's own.
    [{ uri: 'agenta:builtin:auto_exact_match:v0', schemas: { outputs: { type: 1 } } }, ['data', 'schemas', 'outputs']],
    [{ runtime: 'ruby' }, ['data', 'runtime']],
    [{ parameters: [] }, ['data', 'parameters']],
    [{ script: 1 }, ['data', 'script']],
  ]
  for (const kind of ['workflow', 'application', 'evaluator'])
    for (const [data, tail] of cases) {
      const slug = randomUUID()
      const simple = await project.post(`/api/simple/${kind}s/`, { [kind]: { slug, data } })
      expect([simple.status, simple.body.detail?.[0]?.loc], JSON.stringify(data)).toEqual([
        422,
        ['body', kind, ...tail],
      ])
      // Nothing is left behind.
      expect((await post(`/${kind}s/query`, { [kind]: { slug } })).count).toBe(0)
    }
  const made = await create('workflows', { parameters: {} })
  const commit = { workflow_variant_id: made.variant_id, data: { schemas: { inputs: { type: 1 } } } }
  const { status, body } = await project.post('/api/workflows/revisions/commit', { workflow_revision: commit })
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'workflow_revision', 'data', 'schemas', 'inputs']])
  expect(body.detail[0].input).toEqual({ type: 1 })
})

test('data of any depth is taken or refused', async () => {
  for (const [depth, status] of [
    [150, 200],
    [20_000, 422],
  ] as const) {
    const parameters = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const body = `{"workflow":{"slug":"${randomUUID()}","data":{"parameters":${parameters}}}}`
    expect((await project.post('/api/simple/workflows/', body)).status).toBe(status)
  }
})

test('well-formed in its own dialect is well-formed', async () => {
  const old = { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true }
  const { data } = await create('workflows', { schemas: { inputs: old, outputs: { $schema: 'https://x.test/own' } } })
  expect(data.schemas.inputs).toEqual(old)
})

test.each([
  ['https://lab.example/judge', 'https://lab.example/judge', ['has_url', 'is_custom', 'is_hook']],
  ['http://lab.example:8080/a', 'http://lab.example:8080/a', ['has_url', 'is_custom', 'is_hook']],
  ['user:custom:module.run:latest', undefined, ['is_custom']],
  ['acme:builtin:completion:v0', undefined, []],
  ['a:b:c:d:e', undefined, []],
  ['echo', expect.stringMatching('/services/echo/v0$'), ['has_url', 'is_managed']],
  ['custom:hook', expect.stringMatching('/services/hook/v0$'), ['has_url', 'is_custom', 'is_hook', 'is_managed']],
])('the uri %s', async (uri, url, flags) => {
  const made = await create('workflows', { uri })
  expect(made.data.uri).toBe(uri)
  expect(made.data.url).toEqual(url)
  expect(
    Object.entries(made.flags)
      .flatMap(([name, is]) => (is ? [name] : []))
      .toSorted(),
  ).toEqual(flags)
})

test('what the server adds and what it keeps', async () => {
  const own = { type: 'object', properties: { verdict: { type: 'string' } } }
  const evaluator = await create('evaluators', {
    uri: 'agenta:builtin:auto_exact_match:v0',
    url: 'https://mine.example/x',
    schemas: { outputs: own, inputs: own },
  })
  expect(evaluator.data.schemas).toMatchObject({ inputs: own, outputs: { required: ['success'] } })
  expect(evaluator.data.url).toBe(`${inject('target').servicesUrl}/auto_exact_match/v0`)
  const workflow = await create('workflows', {
    uri: 'agenta:builtin:auto_exact_match:v0',
    url: 'https://mine.example/x',
    schemas: { outputs: own },
  })
  expect(workflow.data).toMatchObject({
    url: 'https://mine.example/x',
    schemas: { outputs: own, parameters: { type: 'object' } },
  })
  const feedback = await create('evaluators', { uri: 'agenta:custom:feedback:v0', schemas: { outputs: own } })
  expect(feedback.data.schemas).toEqual({ outputs: own })
  const chat = await create('applications', { uri: 'agenta:builtin:chat:v0' })
  expect(chat.data.schemas.inputs.properties.messages).toMatchObject({ 'x-ag-type-ref': 'messages' })
})

test('of a skill only the content is kept', async () => {
  const parameters = { skill: { name: 'x', body: 'y' } }
  const sent = {
    uri: 'agenta:builtin:skill:v0',
    url: 'https://x.test',
    script: 's',
    schemas: { parameters: {}, outputs: {} },
  }
  const made = await create('workflows', { ...sent, parameters }, { flags: { is_snippet: true } })
  expect(made.data).toEqual({ uri: sent.uri, parameters, schemas: { parameters: {} } })
  expect(made.flags).toMatchObject({ is_snippet: true, is_skill: true, has_url: false, has_script: false })
})

test('flags in a commit change nothing', async () => {
  const made = await create('evaluators', { uri: 'agenta:builtin:auto_exact_match:v0' })
  const { evaluator_revision } = await post('/evaluators/revisions/commit', {
    evaluator_revision_commit: {
      evaluator_variant_id: made.variant_id,
      flags: { is_chat: true, is_application: true, is_managed: false },
      data: {
        uri: 'agenta:builtin:auto_ai_critique:v0',
        parameters: { prompt_template: [], json_schema: { schema: { type: 'object' } } },
      },
    },
  })
  expect(evaluator_revision.flags).toMatchObject({
    is_chat: false,
    is_application: false,
    is_evaluator: true,
    is_managed: true,
  })
  expect(evaluator_revision.data.schemas.outputs).toEqual({ type: 'object' })
})

test('every new project has its evaluators', async () => {
  for (const [slug, key] of [
    ['exact-match', 'auto_exact_match'],
    ['contains-json', 'auto_contains_json'],
    ['quality-rating', 'feedback'],
  ]) {
    const { count, evaluators } = await post('/simple/evaluators/query', { evaluator: { slug } })
    expect([slug, count]).toEqual([slug, 1])
    expect(evaluators[0].data.uri).toMatch(new RegExp(`:${key}:v0$`))
    expect(evaluators[0].data.schemas.outputs.required).toHaveLength(1)
  }
})
