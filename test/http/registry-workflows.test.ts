import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type RegistryClient, registryClient, slugOf } from '../registry-client.ts'

const COMPLETION = {
  uri: 'agenta:builtin:completion:v0',
  parameters: {
    prompt: {
      messages: [{ role: 'user', content: 'Plan {{days}} days in {{city}}' }],
      llm_config: { model: 'gpt-4o-mini' },
    },
  },
}

const newApplication = async (api: RegistryClient, more: object = {}) =>
  (await api.post('/simple/applications/', { application: { slug: slugOf('trip'), data: COMPLETION, ...more } }))
    .application

describe('an application', () => {
  test('is created, changed by a delta, deployed and read back', async () => {
    const api = await registryClient()
    const slug = slugOf('trip-planner')
    const app = await newApplication(api, { slug, name: 'Trip planner', tags: { team: 'travel' } })
    expect(app).toMatchObject({
      slug,
      name: 'Trip planner',
      tags: { team: 'travel' },
      created_by_id: expect.any(String),
      flags: {
        is_application: true,
        is_evaluator: false,
        is_snippet: false,
        is_managed: true,
        is_chat: false,
        has_url: true,
      },
      data: {
        url: expect.stringMatching(/\/services\/completion\/v0$/),
        schemas: { parameters: { type: 'object' } },
        parameters: COMPLETION.parameters,
      },
    })
    expect(Object.keys(app.flags)).toHaveLength(17)

    const delta = { set: { parameters: { prompt: { llm_config: { temperature: 0.1 } } } } }
    const commit = { application_variant_id: app.variant_id, message: 'shorter plans', delta }
    const { application_revision: revision, warnings } = await api.post('/applications/revisions/commit', {
      application_revision: commit,
    })
    expect(revision).toMatchObject({
      version: '2',
      message: 'shorter plans',
      application_id: app.id,
      workflow_id: app.id,
      artifact_id: app.id,
      data: { parameters: { prompt: { llm_config: { model: 'gpt-4o-mini', temperature: 0.1 } } } },
    })
    expect(warnings.map((one: any) => one.code)).toContain('legacy_delta_form')
    const log = await api.post('/applications/revisions/log', {
      application_revisions: { application_variant_id: app.variant_id, depth: 2 },
    })
    expect(log.application_revisions.map((one: any) => one.version)).toEqual(['2', '1'])

    const deployed = await api.post('/applications/revisions/deploy', {
      application_revision_ref: { id: revision.id },
      environment_ref: { slug: 'staging' },
      message: 'to staging',
    })
    expect(deployed.application_revision.id).toBe(revision.id)
    const through = { environment_ref: { slug: 'staging' }, application_ref: { slug } }
    const found = await api.post('/applications/revisions/retrieve', through)
    expect(found).toMatchObject({
      application_revision: { id: revision.id, version: '2', data: { url: expect.any(String) } },
      retrieval_info: {
        selector: { key: `${slug}.revision` },
        references: {
          environment: { slug: 'staging' },
          environment_variant: { slug: expect.any(String) },
          environment_revision: { version: '2' },
          application: { id: app.id, slug },
          application_revision: { id: revision.id, slug: revision.slug, version: '2' },
        },
      },
    })
    const environment = await api.post('/environments/revisions/retrieve', { environment_ref: { slug: 'staging' } })
    expect(environment.environment_revision).toMatchObject({
      message: 'to staging',
      data: {
        references: {
          [`${slug}.revision`]: {
            application: { id: app.id },
            application_variant: { id: app.variant_id },
            application_revision: { id: revision.id, slug: revision.slug, version: '2' },
          },
        },
      },
    })
    const byKey = { environment_ref: { slug: 'staging' }, key: `${slug}.revision` }
    expect((await api.post('/applications/revisions/retrieve', byKey)).application_revision.id).toBe(revision.id)
    const byId = { environment_ref: { slug: 'staging' }, application_ref: { id: app.id } }
    expect((await api.post('/applications/revisions/retrieve', byId)).application_revision.id).toBe(revision.id)

    const retrieve = '/applications/revisions/retrieve'
    await api.refused(404, retrieve, { environment_ref: { slug: 'staging' }, key: 'nope.revision' })
    await api.refused(404, retrieve, { environment_ref: { slug: 'nowhere' }, key: `${slug}.revision` })
    await api.refused(404, '/workflows/revisions/retrieve', byKey)
    await api.refused(400, retrieve, { key: `${slug}.revision` })
    await api.refused(400, retrieve, { environment_ref: { slug: 'staging' } })
    await api.refused(400, retrieve, { environment_ref: { slug: 'staging' }, application_ref: { id: randomUUID() } })
    expect(await api.refused(400, retrieve, { ...byKey, application_ref: { slug: 'other' } })).toContain(
      'application_ref.slug',
    )
  })

  test('is named once, or by equal names', async () => {
    const api = await registryClient()
    const [one, two] = [await newApplication(api), await newApplication(api)]
    const [id, ref] = [{ application_id: one.id }, { application_ref: { id: one.id } }]
    const commit = (ids: object) => ({ application_revision: { ...ids, data: { parameters: { n: 2 } } } })
    const created = (ids: object) => ({ application_variant: { ...ids, slug: slugOf('v') } })
    const variant_id = one.variant_id.toUpperCase().replaceAll('-', '')
    await api.post('/applications/revisions/commit', commit({ application_variant_id: one.variant_id, variant_id }))
    await api.post('/applications/variants/', created({ ...id, workflow_id: one.id, artifact_id: null }))
    const found = await api.post('/applications/revisions/retrieve', {
      application_ref: {},
      workflow_ref: { id: one.id },
    })
    expect(found.application_revision.application_id).toBe(one.id)
    for (const [path, body, name, other] of [
      [
        'revisions/commit',
        commit({ application_variant_id: one.variant_id, workflow_variant_id: two.variant_id }),
        'application_variant_id',
        'workflow_variant_id',
      ],
      ['variants/', created({ ...id, artifact_id: two.id }), 'application_id', 'artifact_id'],
      ['revisions/log', { application_revisions: { ...id, workflow_id: two.id } }, 'application_id', 'workflow_id'],
      ['revisions/retrieve', { ...ref, workflow_ref: { id: two.id } }, 'application_ref', 'workflow_ref'],
      [
        'query',
        { application_refs: [{ id: one.id }], workflow_refs: [{ id: two.id }] },
        'application_refs',
        'workflow_refs',
      ],
    ] as const)
      expect(await api.refused(400, `/applications/${path}`, body)).toContain(`${name} contradicts ${other}`)
  })

  test('is not found by a version that is written in another way', async () => {
    const api = await registryClient()
    const app = await newApplication(api)
    const at = (version: string) => ({ application_ref: { id: app.id }, application_revision_ref: { version } })
    expect((await api.post('/applications/revisions/retrieve', at('1'))).application_revision.id).toBe(app.revision_id)
    for (const version of ['01', '1.0', ' 1', '+1', ''])
      expect(await api.post('/applications/revisions/retrieve', at(version))).toEqual({ count: 0 })
    expect(
      await api.refused(400, '/applications/revisions/retrieve', { application_revision_ref: { version: '1' } }),
    ).toBe('application_revision_ref.version requires application_variant_ref')
  })

  test.each([
    ['nothing of the application', {}, 400],
    ['no environment', { application_ref: { slug: 'a' } }, 400],
    [
      'nothing that identifies',
      { application_revision_ref: { version: '1' }, environment_ref: { slug: 'staging' } },
      400,
    ],
    ['an unknown application', { application_ref: { slug: 'nobody' }, environment_ref: { slug: 'staging' } }, 404],
  ])('is not deployed with %s', async (_name, body, status) => {
    await (await registryClient()).refused(status, '/applications/revisions/deploy', body)
  })

  test('is not deployed to an environment that is not there', async () => {
    const api = await registryClient()
    const { slug } = await newApplication(api)
    const body = { application_ref: { slug }, environment_ref: { slug: 'nowhere' } }
    await api.refused(404, '/applications/revisions/deploy', body)
  })

  test('is listed on its own surface, whatever flags were sent, and keeps its role in edits', async () => {
    const api = await registryClient()
    const flags = { is_application: false }
    const { application } = await api.post('/applications/', { application: { slug: slugOf('a'), flags } })
    expect(application.flags).toEqual({ is_application: true, is_evaluator: false, is_snippet: false })
    await api.ok('PUT', `/applications/${application.id}`, { application: { id: application.id, name: 'N', flags } })
    await api.ok('PUT', `/applications/${application.id}`, { application: { id: application.id, description: 'D' } })
    const listed = async (plural: string) => (await api.post(`/${plural}/query`, {}))[plural].map((one: any) => one.id)
    expect(await listed('applications')).toEqual([application.id])
    expect(await listed('evaluators')).not.toContain(application.id)
    expect(await listed('workflows')).toContain(application.id)
    expect((await api.ok('GET', `/workflows/${application.id}`)).workflow.id).toBe(application.id)
    expect((await api.ok('GET', `/evaluators/${application.id}`)).evaluator.id).toBe(application.id)
  })

  test('its revisions are those of the surface, with flags that follow from their data', async () => {
    const api = await registryClient()
    const app = await newApplication(api)
    const flagged = async (flags: object) => {
      const { application_revisions } = await api.post('/applications/revisions/query', {
        application_revision: { flags },
      })
      return application_revisions.map((one: any) => one.version)
    }
    expect(await flagged({ has_url: true })).toEqual(['1'])
    expect(await flagged({ is_application: true, has_url: false })).toEqual(['0'])
    expect(await flagged({ is_evaluator: true })).toEqual([])
    const { applications } = await api.post('/simple/applications/query', { application: { flags: app.flags } })
    expect(applications.map((one: any) => one.id)).toEqual([app.id])
    const { evaluator_variants } = await api.post('/evaluators/variants/query', {})
    expect(evaluator_variants.every((one: any) => one.evaluator_id !== app.id)).toBe(true)
  })
})

describe('a commit', () => {
  const newWorkflow = async (data?: object) => {
    const api = await registryClient()
    const { workflow } = await api.post('/simple/workflows/', { workflow: { slug: slugOf('w'), data } })
    const commit = (surface: string, body: object) => {
      const kind = surface.slice(0, -1)
      return api.send('POST', `/${surface}/revisions/commit`, {
        [`${kind}_revision`]: { workflow_variant_id: workflow.variant_id, ...body },
      })
    }
    return { api, workflow, commit }
  }

  test('of what the head holds is no change: always for workflows, elsewhere when the base is named', async () => {
    const { workflow, commit } = await newWorkflow({ parameters: { a: 1, empty: {} } })
    const same = { data: { parameters: { empty: null, a: 1 }, script: '' } }
    expect((await commit('workflows', same)).body).toMatchObject({
      count: 1,
      status: 'no_change',
      warnings: [{ code: 'no_change' }],
      workflow_revision: { id: workflow.revision_id },
    })
    expect((await commit('applications', { ...same, base_revision_id: workflow.revision_id })).body.status).toBe(
      'no_change',
    )
    expect((await commit('applications', same)).body).toMatchObject({
      status: 'committed',
      application_revision: { version: '2' },
    })
  })

  test('of what was read is no change either', async () => {
    const { api, workflow } = await newWorkflow(COMPLETION)
    const body = { workflow_revision: { workflow_variant_id: workflow.variant_id, data: workflow.data } }
    expect((await api.post('/workflows/revisions/commit', body)).status).toBe('no_change')
    const changed = { ...workflow.data, parameters: {} }
    const next = await api.post('/workflows/revisions/commit', {
      workflow_revision: { ...body.workflow_revision, data: changed },
    })
    expect(next).toMatchObject({ status: 'committed', workflow_revision: { data: { url: workflow.data.url } } })
  })

  test('for another base is a conflict on every surface', async () => {
    const { workflow, commit } = await newWorkflow({ parameters: { a: 1 } })
    const { body } = await commit('workflows', {
      data: { parameters: { a: 2 } },
      base_revision_id: workflow.revision_id,
    })
    for (const surface of ['workflows', 'applications', 'evaluators']) {
      const stale = await commit(surface, { data: { parameters: { a: 3 } }, base_revision_id: workflow.revision_id })
      expect(stale.status).toBe(409)
      expect(stale.body.detail).toMatchObject({
        code: 'revision_conflict',
        retryable: false,
        next_step: expect.any(String),
        message: expect.any(String),
        details: {
          base_revision_id: workflow.revision_id,
          current_revision_id: body.workflow_revision.id,
          current_revision_version: '2',
        },
      })
    }
  })

  test.each(['workflows', 'applications', 'evaluators'])(
    'to %s carries data or a delta, and names its variant',
    async surface => {
      const { api, commit } = await newWorkflow({ parameters: { a: 1 } })
      expect((await commit(surface, { data: {}, delta: { set: {} } })).status).toBe(400)
      expect((await commit(surface, {})).status).toBe(400)
      const kind = surface.slice(0, -1)
      await api.refused(400, `/${surface}/revisions/commit`, { [`${kind}_revision`]: { data: {} } })
      expect((await commit(surface, { slug: '__ag__mine', data: { parameters: { b: 1 } } })).status).toBe(400)
    },
  )

  test('may be empty as long as nothing was committed', async () => {
    const { commit } = await newWorkflow()
    expect((await commit('applications', {})).body).toMatchObject({ application_revision: { version: '2' } })
  })

  test.each([
    ['an unknown member', { nope: 1 }, ['data', 'nope']],
    ['a url that cannot be called', { url: 'ftp://x' }, ['data', 'url']],
    ['an unknown handler', { uri: 'agenta:builtin:nope:v0' }, ['data', 'uri']],
    ['a malformed schema', { schemas: { inputs: { type: 7 } } }, ['data', 'schemas', 'inputs']],
    ['a runtime that is none', { runtime: 'cobol' }, ['data', 'runtime']],
  ])('with %s is refused and says where', async (_name, data, loc) => {
    const { commit } = await newWorkflow({ parameters: { a: 1 } })
    const { status, body } = await commit('workflows', { data })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', 'workflow_revision', ...loc])
  })

  test.each<[string, object, { msg: string; loc: (string | number)[] }]>([
    ['an unknown member', { nope: 1 }, { msg: 'Extra inputs are not permitted', loc: ['data', 'nope'] }],
    [
      'a number as a header',
      { headers: { a: 7 } },
      { msg: 'Input should be a valid string', loc: ['data', 'headers', 'a'] },
    ],
    [
      'a text as parameters',
      { parameters: 'x' },
      { msg: 'Input should be a valid dictionary', loc: ['data', 'parameters'] },
    ],
    [
      'an unknown handler',
      { uri: 'agenta:builtin:nope:v0' },
      { msg: "Value error, uri names an unknown handler: no builtin has the key 'nope'", loc: ['data', 'uri'] },
    ],
    [
      'a malformed schema',
      { schemas: { inputs: { type: 7 } } },
      {
        msg: 'Value error, schema/type must be equal to one of the allowed values',
        loc: ['data', 'schemas', 'inputs'],
      },
    ],
  ])('whose delta sets %s is refused and says what is wrong with the data', async (_name, set, { msg, loc }) => {
    const { commit } = await newWorkflow({ parameters: { a: 1 } })
    const { status, body } = await commit('workflows', { delta: { set } })
    expect(status).toBe(422)
    expect(body.detail).toMatchObject({
      code: 'final_validation_failed',
      message: `${loc.join('.')}: ${msg}`,
      details: { violations: [{ loc, msg }] },
    })
  })

  test.each(['workflows', 'applications', 'evaluators'])(
    'to %s with an unknown member in an operation is refused and says where',
    async surface => {
      const { workflow, commit } = await newWorkflow({ parameters: { a: 1, b: 2 } })
      const remove = { operation: 'remove', target: ['parameters', 'a'] }
      const operations = [remove, { ...remove, target: ['parameters', 'b'], zz: 1, yy: 2 }]
      const { status, body } = await commit(surface, { base_revision_id: workflow.revision_id, delta: { operations } })
      expect(status).toBe(422)
      const at = ['body', `${surface.slice(0, -1)}_revision`, 'delta', 'operations', 1]
      expect(body.detail).toMatchObject([
        { type: 'extra_forbidden', loc: [...at, 'zz'], input: 1 },
        { type: 'extra_forbidden', loc: [...at, 'yy'], input: 2 },
      ])
    },
  )

  test('of operations changes just what they aim at', async () => {
    const data = {
      parameters: { prompt: { messages: [], system: 'Be brief.' }, tools: [{ name: 'search', on: true }] },
    }
    const { workflow, commit } = await newWorkflow(data)
    const operations = [
      { operation: 'set', target: ['parameters', 'limits', 'tokens'], value: 100 },
      { operation: 'merge', target: ['parameters', 'limits'], value: { seconds: 5 } },
      {
        operation: 'edit_text',
        target: ['parameters', 'prompt', 'system'],
        edits: [{ old_text: 'brief', new_text: 'kind' }],
      },
      { operation: 'add_item', target: ['parameters', 'tools'], value: { name: 'fetch' } },
      { operation: 'set', target: ['parameters', { list: 'tools', key: 'search' }, 'on'], value: false },
      {
        operation: 'replace_item',
        target: ['parameters', { list: 'tools', key: 'fetch' }],
        value: { name: 'fetch', n: 1 },
      },
      { operation: 'remove', target: ['parameters', 'prompt', 'messages'] },
    ]
    const base_revision_id = workflow.revision_id
    const { status, body } = await commit('workflows', { base_revision_id, delta: { operations } })
    expect({ status, text: body.detail }).toEqual({ status: 200, text: undefined })
    expect(body.workflow_revision.data.parameters).toEqual({
      limits: { tokens: 100, seconds: 5 },
      prompt: { system: 'Be kind.' },
      tools: [
        { name: 'search', on: false },
        { name: 'fetch', n: 1 },
      ],
    })
    const unbased = await commit('workflows', { delta: { operations } })
    expect(unbased).toMatchObject({ status: 422, body: { detail: { code: 'invalid_delta', retryable: false } } })
  })
})

describe('a workflow', () => {
  test('without a role is found by the flags it shows; a missing one is a 404 to edit; its name is not blank', async () => {
    const api = await registryClient()
    const { workflow } = await api.post('/workflows/', { workflow: { slug: slugOf('w') } })
    expect(workflow).not.toHaveProperty('flags')
    const { workflow_variant } = await api.post('/workflows/variants/', {
      workflow_variant: { workflow_id: workflow.id, slug: slugOf('v') },
    })
    await api.post('/workflows/revisions/', { workflow_revision: { workflow_variant_id: workflow_variant.id } })
    const { flags } = (await api.ok('GET', `/simple/workflows/${workflow.id}`)).workflow
    expect(flags).toMatchObject({ is_application: false })
    const asShown = await api.post('/simple/workflows/query', { workflow: { slug: workflow.slug, flags } })
    expect(asShown.count).toBe(1)
    expect((await api.send('PUT', `/workflows/${randomUUID()}`, { workflow: {} })).status).toBe(404)
    const blank = await api.send('PUT', `/workflows/${workflow.id}`, { workflow: { name: '  ' } })
    expect(blank).toMatchObject({ status: 422, body: { detail: expect.any(String) } })
    await api.post(`/workflows/${workflow.id}/archive`)
    expect((await api.send('PUT', `/workflows/${workflow.id}`, { workflow: { name: 'x' } })).status).toBe(404)
    expect((await api.send('PUT', `/applications/${workflow.id}`, { application: { name: 'x' } })).body).toEqual({
      count: 0,
    })
    expect(await api.refused(400, '/workflows/', { workflow: { slug: '__ag__x' } })).toEqual(expect.any(String))
  })

  test('its name is kept when it is an evaluator', async () => {
    const api = await registryClient()
    const { evaluator } = await api.post('/simple/evaluators/', { evaluator: { slug: slugOf('e'), name: 'E' } })
    for (const path of ['', '/simple']) {
      expect((await api.send('PUT', `${path}/evaluators/${evaluator.id}`, { evaluator: { name: 'F' } })).status).toBe(
        400,
      )
      for (const name of ['E', null, undefined]) {
        const edit = { evaluator: { name, description: path } }
        expect((await api.ok('PUT', `${path}/evaluators/${evaluator.id}`, edit)).evaluator.name).toBe('E')
      }
    }
  })

  test.each(['/workflows', '/applications', '/evaluators', '/simple/workflows', '/simple/evaluators'])(
    'an application stays one when its flags are cleared at %s',
    async path => {
      const api = await registryClient()
      const { application } = await api.post('/simple/applications/', { application: { slug: slugOf('a') } })
      const kind = path.replace('/simple', '').slice(1, -1)
      await api.ok('PUT', `${path}/${application.id}`, { [kind]: { flags: null } })
      const { workflow } = await api.ok('GET', `/workflows/${application.id}`)
      expect(workflow.flags).toMatchObject({ is_application: true, is_evaluator: kind === 'evaluator' })
      expect(await api.post('/applications/query', {})).toMatchObject({ applications: [{ id: application.id }] })
    },
  )

  test('of a chosen id is made once in a project, and in others', async () => {
    const [api, other] = await Promise.all([registryClient(), registryClient()])
    const id = randomUUID()
    const made = await api.post(`/applications/?application_id=${id}`, { application: { slug: 'chosen' } })
    expect(made.application.id).toBe(id)
    const again = await api.refused(409, `/applications/?application_id=${id}`, { application: { slug: 'other' } })
    expect(again.conflict).toEqual({ id })
    await other.post(`/simple/workflows/?workflow_id=${id}`, { workflow: { slug: 'chosen' } })
    await api.refused(422, '/applications/?application_id=7', { application: { slug: 'x' } })
  })

  test('of a chosen id is not mixed up with a testset and a query of the same id', async () => {
    const api = await registryClient()
    const id = randomUUID()
    const [testset, query, application] = [
      { slug: 'one', data: { testcases: [{ data: { a: 1 } }] } },
      { slug: 'one', data: { formatting: { focus: 'span' } } },
      { slug: 'one', data: { parameters: { n: 1 } } },
    ]
    await api.post(`/simple/testsets/?testset_id=${id}`, { testset })
    await api.post(`/simple/queries/?query_id=${id}`, { query })
    await api.post(`/simple/applications/?application_id=${id}`, { application })
    for (const [one, many, { data }] of [
      ['query', 'queries', query],
      ['application', 'applications', application],
    ] as const) {
      expect((await api.ok('GET', `/simple/${many}/${id}`))[one].data).toMatchObject(data)
      expect((await api.post(`/simple/${many}/query`))[many]).toMatchObject([{ id, data }])
      const found = await api.post(`/${many}/revisions/retrieve`, { [`${one}_ref`]: { id } })
      expect(found[`${one}_revision`].data).toMatchObject(data)
      expect((await api.post(`/${many}/revisions/log`, { [`${one}_revisions`]: { [`${one}_id`]: id } })).count).toBe(2)
      const edited = await api.ok('PUT', `/simple/${many}/${id}`, { [one]: { id, name: 'Edited' } })
      expect(edited[one]).toMatchObject({ name: 'Edited', data })
    }
    expect((await api.ok('GET', `/simple/testsets/${id}`)).testset.data.testcases).toHaveLength(1)
  })

  test('an application and an evaluator share their slugs, a testset does not', async () => {
    const api = await registryClient()
    await api.post('/applications/', { application: { slug: 'shared' } })
    await api.refused(409, '/evaluators/', { evaluator: { slug: 'shared' } })
    await api.post('/testsets/', { testset: { slug: 'shared' } })
  })

  test('a plain web address is a custom handler', async () => {
    const api = await registryClient()
    const uri = 'https://hooks.example.test/score'
    const { evaluator } = await api.post('/simple/evaluators/', { evaluator: { slug: slugOf('hook'), data: { uri } } })
    expect(evaluator).toMatchObject({
      data: { uri, url: uri },
      flags: { is_custom: true, is_hook: true, has_url: true },
    })
  })
})

test('a new project has its environments and evaluators', async () => {
  const api = await registryClient()
  const { environments } = await api.post('/simple/environments/query', {})
  expect(environments.map((one: any) => one.slug)).toEqual(['production', 'staging', 'development'])
  const { evaluators } = await api.post('/simple/evaluators/query', {})
  expect(evaluators.map((one: any) => [one.slug, one.name, one.data.uri])).toEqual([
    ['quality-rating', 'Quality Rating', 'agenta:custom:feedback:v0'],
    ['contains-json', 'Contains JSON', 'agenta:builtin:auto_contains_json:v0'],
    ['exact-match', 'Exact Match', 'agenta:builtin:auto_exact_match:v0'],
  ])
  expect(evaluators[2].data).toMatchObject({
    parameters: { correct_answer_key: 'correct_answer' },
    schemas: { outputs: { required: ['success'] } },
  })
})

test.each(['meta', 'data'])('JSON that is nested too deep is refused in %s', async member => {
  const api = await registryClient()
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const body = (levels: number) => {
    const value = member === 'data' ? `{"parameters":${deep(levels)}}` : deep(levels)
    return `{"workflow": {"slug": "deep", "${member}": ${value}}}`
  }
  await api.refused(422, '/simple/workflows/', body(5000))
  await api.refused(422, '/simple/workflows/', body(100_000))
  await api.post('/simple/workflows/', body(150))
})

test('what is stored comes back as it was sent: order of members, big numbers, nulls', async () => {
  const api = await registryClient()
  const parameters = '{"zebra":1,"a":{"y":null,"x":12345678901234567890},"b":[],"é\\u2028":"\\n"}'
  const made = await api.send(
    'POST',
    '/simple/workflows/',
    `{"workflow":{"slug":"exact","data":{"parameters":${parameters}}}}`,
  )
  expect(made.text).toContain('"zebra":1,"a":{"y":null,"x":12345678901234567890},"b":[]')
  const read = await api.send('GET', `/simple/workflows/${made.body.workflow.id}`)
  expect(read.text).toContain('"zebra":1,"a":{"y":null,"x":12345678901234567890},"b":[]')
})

test('artifacts are filed in folders that are there', async () => {
  const api = await registryClient()
  const { folder } = await api.post('/folders/', { folder: { slug: 'shelf', name: 'Shelf' } })
  await api.refused(404, '/applications/', { application: { slug: 'lost', folder_id: randomUUID() } })
  const { application } = await api.post('/applications/', { application: { slug: 'filed', folder_id: folder.id } })
  expect(application.folder_id).toBe(folder.id)
  const filed = async (folder_id: string | null) =>
    (await api.post('/applications/query', { application: { folder_id } })).count
  expect([await filed(folder.id), await filed(null)]).toEqual([1, 0])
  const moved = await api.send('PUT', `/applications/${application.id}`, { application: { folder_id: randomUUID() } })
  expect(moved.status).toBe(404)
  const out = await api.ok('PUT', `/applications/${application.id}`, { application: { folder_id: null } })
  expect(out.application).not.toHaveProperty('folder_id')
  expect([await filed(folder.id), await filed(null)]).toEqual([0, 1])
})

test('both names of a wrapper may be sent when they say the same', async () => {
  const api = await registryClient()
  const { workflow } = await api.post('/simple/workflows/', { workflow: { slug: 'w' } })
  const same = { workflow_variant_id: workflow.variant_id, data: { parameters: { a: 1 } } }
  const commit = (one: object, two: object) => ({ workflow_revision: one, workflow_revision_commit: two })
  await api.post('/workflows/revisions/commit', commit(same, same))
  await api.refused(422, '/workflows/revisions/commit', commit(same, { ...same, message: 'other' }))
  const [missing] = await api.refused(422, '/workflows/revisions/commit', {})
  expect(missing).toMatchObject({ type: 'missing', loc: ['body', 'workflow_revision'] })
})
