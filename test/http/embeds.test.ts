import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'

const project = await newProject()

const post = project.posted

/** A workflow with these parameters; its record. */
async function workflow(slug: string, parameters: object, plural = 'workflows'): Promise<any> {
  const kind = plural.slice(0, -1)
  const body = await post(`/simple/${plural}/`, { [kind]: { slug, data: { parameters } } })
  expect(body.count).toBe(1)
  return body[kind]
}

const embed = (references: object, path?: string): object => ({
  '@ag.embed': { '@ag.references': references, ...(path === undefined ? {} : { '@ag.selector': { path } }) },
})

const resolveInline = (parameters: object, more: object = {}) =>
  post('/workflows/revisions/resolve', { workflow_revision: { data: { parameters } }, ...more })

const tone = await workflow('tone-guide', { text: 'Be brief.', example: { role: 'user', content: 'Hi' }, n: 3 })
await workflow('judge', { prompt: { messages: [{ content: 'Judge well.' }] } }, 'evaluators')

test('the worked example', async () => {
  const app = await workflow(
    'assistant',
    {
      prompt: {
        messages: [
          { role: 'system', content: 'Rules: @{{workflow.slug=tone-guide, path=text}}' },
          embed({ workflow_revision: { id: tone.revision_id } }, 'parameters.example'),
        ],
      },
    },
    'applications',
  )
  const messages = [
    { role: 'system', content: 'Rules: Be brief.' },
    { role: 'user', content: 'Hi' },
  ]
  const body = await post('/applications/revisions/resolve', { application_ref: { slug: 'assistant' } })
  expect(body).toMatchObject({
    count: 1,
    application_revision: {
      id: app.revision_id,
      application_id: app.id,
      data: { parameters: { prompt: { messages } } },
    },
    retrieval_info: { references: { application: { id: app.id }, application_revision: { version: '1' } } },
    resolution_info: { depth_reached: 1, embeds_resolved: 2, errors: [] },
  })
  expect(body.resolution_info.references_used).toEqual([
    { workflow_revision: { id: tone.revision_id } },
    { workflow: { slug: 'tone-guide' } },
  ])
  const retrieve = { application_ref: { slug: 'assistant' } }
  const resolved = await post('/applications/revisions/retrieve', { ...retrieve, resolve: true })
  expect(resolved.application_revision.data.parameters.prompt.messages).toEqual(messages)
  expect(resolved.resolution_info).toEqual(body.resolution_info)
  const stored = await post('/applications/revisions/retrieve', retrieve)
  expect(stored.application_revision.data.parameters.prompt.messages[0].content).toContain('@{{')
  expect(stored).not.toHaveProperty('resolution_info')
})

test('nothing to embed: all counters are zero', async () => {
  const zero = { references_used: [], depth_reached: 0, embeds_resolved: 0, errors: [] }
  const body = await post('/workflows/revisions/retrieve', { workflow_ref: { slug: 'tone-guide' }, resolve: true })
  expect(body.resolution_info).toEqual(zero)
  expect((await resolveInline({ a: 1 })).resolution_info).toEqual(zero)
})

test.each([
  ['a variant', { workflow_variant: { id: tone.variant_id } }],
  ['an artifact by id', { workflow: { id: tone.id } }],
  ['a version on an artifact', { workflow: { slug: 'tone-guide' }, workflow_revision: { version: '1' } }],
  ['slug and version', { workflow_revision: { slug: 'tone-guide', version: '1' } }],
  ['as another kind', { application: { slug: 'tone-guide' } }],
])('a reference to %s', async (_name, references) => {
  const { workflow_revision } = await resolveInline({ x: embed(references, 'parameters.n') })
  expect(workflow_revision.data.parameters).toEqual({ x: 3 })
})

test('a revision without data is there, alone as beside others', async () => {
  const { workflow: bare } = await post('/simple/workflows/', { workflow: { slug: 'bare' } })
  const nothing = embed({ workflow: { slug: 'bare' } })
  expect(bare).not.toHaveProperty('data')
  const parametersOf = async (parameters: object) => (await resolveInline(parameters)).workflow_revision.data.parameters
  expect(await parametersOf({ nothing, text: embed({ workflow: { slug: 'tone-guide' } }, 'parameters.text') })).toEqual(
    {
      nothing: null,
      text: 'Be brief.',
    },
  )
  expect(await parametersOf({ nothing })).toEqual({ nothing: null })
})

test('an older version, an archived artifact', async () => {
  const old = await workflow('old', { v: 1 })
  await post('/workflows/revisions/commit', {
    workflow_revision: { workflow_variant_id: old.variant_id, data: { parameters: { v: 2 } } },
  })
  await post(`/workflows/${old.id}/archive`, {})
  const { workflow_revision } = await resolveInline({
    head: embed({ workflow: { slug: 'old' } }, 'parameters.v'),
    first: embed({ workflow: { slug: 'old' }, workflow_revision: { version: '1' } }, 'parameters.v'),
  })
  expect(workflow_revision.data.parameters).toEqual({ head: 2, first: 1 })
})

test('through an environment, from every kind of workflow', async () => {
  await post('/workflows/revisions/deploy', {
    workflow_ref: { slug: 'tone-guide' },
    environment_ref: { slug: 'staging' },
  })
  const deployed = {
    '@ag.embed': {
      '@ag.references': { environment: { slug: 'staging' } },
      '@ag.selector': { key: 'tone-guide.revision', path: 'parameters.text' },
    },
  }
  const app = await workflow('through', { deployed, judge: '@{{evaluator.slug=judge}}' }, 'applications')
  const { application_revision } = await post('/applications/revisions/resolve', {
    application_variant_ref: { id: app.variant_id },
  })
  expect(application_revision.data.parameters).toEqual({ deployed: 'Be brief.', judge: 'Judge well.' })
  const environment = await post('/environments/revisions/resolve', { environment_ref: { slug: 'staging' } })
  expect(environment).toMatchObject({
    environment_revision: { data: { references: { 'tone-guide.revision': {} } } },
    resolution_info: { embeds_resolved: 0 },
  })
})

test.each<[string, object, number]>([
  ['no such target', embed({ workflow: { slug: 'nope' } }), 404],
  ['a slug that is no Unicode', embed({ workflow: { slug: '\ud800' } }), 404],
  ['no such path', embed({ workflow: { slug: 'tone-guide' } }, 'parameters.nope'), 404],
  ['mixed families', embed({ workflow: { slug: 'a' }, evaluator: { slug: 'b' } }), 400],
  ['what cannot be embedded', embed({ testset: { slug: 'a' } }), 400],
  [
    'a contradiction',
    embed({ workflow: { slug: 'tone-guide' }, workflow_revision: { id: tone.revision_id, version: '7' } }),
    400,
  ],
])('%s: stored and inline', async (_name, value, status) => {
  const { id } = await workflow(randomUUID(), { value })
  const answers = [
    await project.post('/api/workflows/revisions/resolve', { workflow_ref: { id } }),
    await project.post('/api/workflows/revisions/retrieve', { workflow_ref: { id }, resolve: true }),
    await project.post('/api/evaluators/revisions/resolve', {
      evaluator_revision: { data: { parameters: { value } } },
    }),
  ]
  expect(answers.map(answer => [answer.status, typeof answer.body.detail])).toEqual(Array(3).fill([status, 'string']))
})

test('rings are refused, diamonds are not', async () => {
  await workflow('ring-a', { text: '@{{workflow.slug=ring-b, path=text}}', x: embed({ workflow: { slug: 'ring-b' } }) })
  await workflow('ring-b', { text: '@{{workflow.slug=ring-a, path=text}}', x: embed({ workflow: { slug: 'ring-a' } }) })
  await workflow('selfish', { text: 'I am @{{workflow.slug=selfish, path=text}}' })
  for (const slug of ['ring-a', 'ring-b', 'selfish'])
    expect((await project.post('/api/workflows/revisions/resolve', { workflow_ref: { slug } })).status).toBe(400)
  await workflow('left', { n: embed({ workflow: { slug: 'tone-guide' } }, 'parameters.n') })
  const both = {
    left: embed({ workflow: { slug: 'left' } }, 'parameters.n'),
    right: embed({ workflow: { slug: 'tone-guide' } }, 'parameters.n'),
  }
  const { workflow_revision, resolution_info } = await resolveInline(both)
  expect(workflow_revision.data.parameters).toEqual({ left: 3, right: 3 })
  expect(resolution_info).toMatchObject({ depth_reached: 2, embeds_resolved: 3 })
})

test('limits and policies of a request', async () => {
  const parameters = { a: embed({ workflow: { slug: 'tone-guide' } }, 'parameters.n'), b: 'x @{{workflow.slug=nope}}' }
  const three = { x: parameters.a, y: parameters.a, z: parameters.a }
  const tooMany = { workflow_revision: { data: { parameters: three } } }
  expect((await project.post('/api/workflows/revisions/resolve', { ...tooMany, max_embeds: 2 })).status).toBe(400)
  expect(
    (await project.post('/api/workflows/revisions/resolve', { ...tooMany, max_embeds: 0, max_depth: null })).status,
  ).toBe(200)
  const marked = await resolveInline(parameters, { error_policy: 'placeholder' })
  expect(marked.workflow_revision.data.parameters).toEqual({ a: 3, b: expect.stringMatching(/^<error:\w+>$/) })
  expect(marked.resolution_info.errors).toHaveLength(1)
  const kept = await resolveInline(parameters, { error_policy: 'keep' })
  expect(kept.workflow_revision.data.parameters).toEqual({ ...parameters, a: 3 })
  const { status, body } = await project.post('/api/workflows/revisions/resolve', {
    ...tooMany,
    error_policy: 'ignore',
  })
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'error_policy']])
})

test.each<[string, object, number, object | undefined]>([
  ['workflows', { workflow_revision: {} }, 400, undefined],
  ['applications', { application_revision: { data: null } }, 400, undefined],
  ['evaluators', { evaluator_revision: { data: { nonsense: 1 } } }, 422, undefined],
  ['workflows', { workflow_ref: { slug: 'nope' } }, 200, { count: 0 }],
  ['applications', {}, 200, { count: 0 }],
  ['environments', { environment_ref: { slug: 'nope' } }, 200, { count: 0 }],
  ['workflows', { workflow_revision_ref: { version: '1' } }, 400, undefined],
  ['applications', { environment_ref: { slug: 'staging' }, key: 'nope.revision' }, 404, undefined],
])('resolve of %s with %j: %i', async (plural, body, status, expected) => {
  const answer = await project.post(`/api/${plural}/revisions/resolve`, body)
  expect(answer.status).toBe(status)
  if (expected) expect(answer.body).toEqual(expected)
})

test('workflows of the program itself cannot be embedded', async () => {
  for (const x of [embed({ workflow: { slug: '__ag__tone' } }), 'a @{{workflow.slug=__ag__tone}}']) {
    const body = { workflow_revision_commit: { workflow_variant_id: tone.variant_id, data: { parameters: { x } } } }
    const answer = await project.post('/api/workflows/revisions/commit', body)
    expect([answer.status, answer.body.detail.code]).toEqual([400, 'non_embeddable_reference'])
  }
})

test("another project's revisions cannot be embedded", async () => {
  const other = await newProject()
  const body = {
    workflow_revision: { data: { parameters: { x: embed({ workflow_revision: { id: tone.revision_id } }) } } },
  }
  expect((await project.post('/api/workflows/revisions/resolve', body)).status).toBe(200)
  expect((await other.post('/api/workflows/revisions/resolve', body)).status).toBe(404)
})
