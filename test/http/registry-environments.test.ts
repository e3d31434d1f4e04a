import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type RegistryClient, registryClient, slugOf } from '../registry-client.ts'

async function withEnvironment(references?: object) {
  const api = await registryClient()
  const data = references && { references }
  const { environment } = await api.post('/simple/environments/', { environment: { slug: slugOf('env'), data } })
  const commit = async (body: object) =>
    (
      await api.post('/environments/revisions/commit', {
        environment_revision: {
          environment_id: environment.id,
          environment_variant_id: environment.variant_id,
          ...body,
        },
      })
    ).environment_revision
  return { api, environment, commit }
}

const newApplication = async (api: RegistryClient) =>
  (await api.post('/simple/applications/', { application: { slug: slugOf('app'), data: { parameters: {} } } }))
    .application

const deploy = (api: RegistryClient, application_id: string, environment_slug: string, more: object = {}) =>
  api.post('/applications/revisions/deploy', {
    application_ref: { id: application_id },
    environment_ref: { slug: environment_slug },
    ...more,
  })

describe('a commit to an environment', () => {
  test('by delta sets and removes keys of the head, and of nothing before it', async () => {
    const { commit } = await withEnvironment({ 'a.b.revision': {}, old: { application: { slug: 'x' } } })
    const changed = await commit({
      delta: { set: { next: { workflow: { id: randomUUID() } } }, remove: ['old', 'never'] },
    })
    expect(Object.keys(changed.data.references).toSorted()).toEqual(['a.b.revision', 'next'])
    const emptied = await commit({ delta: { remove: ['a.b.revision', 'next'] } })
    expect(emptied.data).toEqual({ references: {} })
    const later = await commit({ delta: { set: { only: {} } } })
    expect(later.data).toEqual({ references: { only: {} } })
  })

  test.each([
    ['data and delta', { data: { references: {} }, delta: { set: {} } }, 400],
    ['neither', {}, 400],
    ['an unknown member', { data: { refs: {} } }, 422],
    ['an entry that is no object', { data: { references: { a: 7 } } }, 422],
    ['a version that is no text', { data: { references: { a: { application_revision: { version: 1 } } } } }, 422],
  ])('with %s is refused', async (_name, body, status) => {
    const { api, environment } = await withEnvironment()
    await api.refused(status, '/environments/revisions/commit', {
      environment_revision: { environment_variant_id: environment.variant_id, ...body },
    })
  })

  test('needs the environment alone, and takes its slugs from what is deployed', async () => {
    const { api, environment } = await withEnvironment()
    const app = await newApplication(api)
    const entry = {
      application: { id: app.id, slug: 'stale' },
      application_variant: { id: app.variant_id },
      application_revision: { id: app.revision_id, slug: 'stale' },
    }
    const unknown = { application_revision: { id: randomUUID(), slug: 'kept' } }
    const { environment_revision } = await api.post('/environments/revisions/commit', {
      environment_revision_commit: { environment_id: environment.id, data: { references: { a: entry, b: unknown } } },
    })
    const { references } = environment_revision.data
    expect(references.a.application).toEqual({ id: app.id, slug: app.slug })
    expect(references.a.application_variant).toEqual({ id: app.variant_id })
    expect(references.a.application_revision.slug).toMatch(/^[0-9a-f]{12}$/)
    expect(references.b).toEqual(unknown)
  })

  test('history can be asked for the changes of one application', async () => {
    const { api, environment } = await withEnvironment()
    const [one, two] = [await newApplication(api), await newApplication(api)]
    await deploy(api, one.id, environment.slug)
    await deploy(api, two.id, environment.slug)
    await deploy(api, one.id, environment.slug)
    await api.ok('PUT', `/simple/applications/${one.id}`, { application: { data: { parameters: { n: 1 } } } })
    await deploy(api, one.id, environment.slug)
    const changes = async (references: object[]) => {
      const body = { environment_refs: [{ id: environment.id }], references }
      const { environment_revisions } = await api.post('/environments/revisions/query', body)
      return environment_revisions.map((row: any) => row.version)
    }
    expect(await changes([{ id: one.id }])).toEqual(['5', '2'])
    expect(await changes([{ id: two.id }])).toEqual(['3'])
    expect(await changes([])).toEqual(['5', '4', '3', '2', '1', '0'])
    expect(await changes([{ slug: one.slug }])).toEqual(['5', '2'])
    expect(await changes([{ slug: one.slug }, { id: two.id }])).toEqual(['5', '3', '2'])
    const unknown = Array.from({ length: 500 }, () => [{ id: randomUUID() }, { slug: slugOf('none') }]).flat()
    expect(await changes(unknown)).toEqual([])
    // What was deployed by an archived revision is deployed anew.
    const { environment: head } = await api.ok('GET', `/simple/environments/${environment.id}`)
    await api.post(`/environments/revisions/${head.revision_id}/archive`)
    await deploy(api, one.id, environment.slug)
    expect(await changes([{ id: one.id }])).toEqual(['6', '2'])
  })
})

test('an edit changes what differs in the least', async () => {
  const { api, environment } = await withEnvironment()
  for (const references of [{}, { first: {} }, { second: {} }, { second: { application: {} } }]) {
    const body = { environment: { data: { references } } }
    const edited = await api.ok('PUT', `/simple/environments/${environment.id}`, body)
    expect(edited.environment.data).toEqual({ references })
  }
})

describe('a deployment', () => {
  test('goes under any key', async () => {
    const { api, environment } = await withEnvironment()
    const app = await newApplication(api)
    await deploy(api, app.id, environment.slug, { key: '__proto__' })
    const through = { environment_ref: { slug: environment.slug }, key: '__proto__' }
    const found = await api.post('/applications/revisions/retrieve', through)
    expect(found.application_revision.id).toBe(app.revision_id)
  })

  test('goes under the default key if the key is empty', async () => {
    const { api, environment } = await withEnvironment()
    const app = await newApplication(api)
    await deploy(api, app.id, environment.slug, { key: '' })
    const through = { environment_ref: { slug: environment.slug }, application_ref: { slug: app.slug }, key: '' }
    const found = await api.post('/applications/revisions/retrieve', through)
    expect(found).toMatchObject({
      application_revision: { id: app.revision_id },
      retrieval_info: { selector: { key: `${app.slug}.revision` } },
    })
  })

  test('leaves other keys, goes under a key of choice, and appends also to an older revision', async () => {
    const { api, environment } = await withEnvironment()
    const [one, two] = [await newApplication(api), await newApplication(api)]
    await deploy(api, one.id, environment.slug)
    await deploy(api, two.id, environment.slug, { key: 'mine' })
    await api.post('/applications/revisions/deploy', {
      application_variant_ref: { id: one.variant_id },
      environment_revision_ref: { id: environment.revision_id },
      key: 'older',
    })
    const { environment: head } = await api.ok('GET', `/simple/environments/${environment.id}`)
    expect(Object.keys(head.data.references).toSorted()).toEqual([`${one.slug}.revision`, 'mine', 'older'].toSorted())
  })

  test('to an archived environment leaves its other keys, and its event says so', async () => {
    const { api, environment } = await withEnvironment({ kept: {} })
    const app = await newApplication(api)
    const key = `${app.slug}.revision`
    await api.post(`/simple/environments/${environment.id}/archive`)
    await deploy(api, app.id, environment.slug)
    await api.post(`/simple/environments/${environment.id}/unarchive`)
    const { environment: head } = await api.ok('GET', `/simple/environments/${environment.id}`)
    expect(Object.keys(head.data.references).toSorted()).toEqual([key, 'kept'].toSorted())
    const { events } = await api.post('/events/query', { event: { event_types: ['environments.revisions.committed'] } })
    const { diff } = events.find(
      (one: any) => one.attributes.references.environment_revision.id === head.revision_id,
    ).attributes
    expect(diff).toMatchObject({ created: { [key]: {} }, updated: {}, deleted: {} })
    expect(Object.keys(diff.created)).toEqual([key])
  })

  test('of an evaluator is no application', async () => {
    const { api, environment } = await withEnvironment()
    const { evaluator } = await api.post('/simple/evaluators/', { evaluator: { slug: slugOf('e') } })
    const environment_ref = { slug: environment.slug }
    await api.post('/evaluators/revisions/deploy', { evaluator_ref: { id: evaluator.id }, environment_ref })
    const found = await api.post('/evaluators/revisions/retrieve', {
      evaluator_ref: { slug: evaluator.slug },
      environment_ref,
    })
    expect(found.evaluator_revision.id).toBe(evaluator.revision_id)
    const body = { application_ref: { slug: evaluator.slug }, environment_ref }
    await api.refused(404, '/applications/revisions/retrieve', body)
  })
})

test.each([
  ['evaluator', 'evaluators', { parameters: {} }],
  ['environment', 'environments', { references: {} }],
])('what is archived with a flat %s comes back with it, and nothing else', async (one, many, data) => {
  const api = await registryClient()
  const { [one]: record } = await api.post(`/simple/${many}/`, { [one]: { slug: slugOf('x'), data } })
  const { [`${one}_variant`]: second } = await api.post(`/${many}/variants/`, {
    [`${one}_variant`]: { artifact_id: record.id, slug: slugOf('v') },
  })
  await api.post(`/${many}/revisions/commit`, { [`${one}_revision`]: { variant_id: second.id, data } })
  const visible = async () => {
    const { [`${one}_variants`]: variants } = await api.post(`/${many}/variants/query`, {
      [`${one}_refs`]: [{ id: record.id }],
    })
    return variants.map(({ id }: { id: string }) => id)
  }
  await api.post(`/${many}/variants/${record.variant_id}/archive`)
  for (const restore of [`/simple/${many}`, `/${many}`]) {
    for (let times = 0; times < 2; times++) await api.post(`/simple/${many}/${record.id}/archive`)
    const { [`${one}_variant`]: archived } = await api.ok('GET', `/${many}/variants/${second.id}`)
    expect(archived).toHaveProperty('deleted_at')
    await api.post(`${restore}/${record.id}/unarchive`)
    expect(await visible()).toEqual([second.id])
  }
})

test('a guard is lifted also while the default variant has no revision', async () => {
  const { api, environment } = await withEnvironment()
  const verb = async (name: string) => (await api.post(`/simple/environments/${environment.id}/${name}`)).environment
  const { environment_variant } = await api.post('/environments/variants/', {
    environment_variant: { environment_id: environment.id, slug: slugOf('v') },
  })
  await api.post(`/environments/variants/${environment.variant_id}/archive`)
  for (const [name, is_guarded] of [
    ['guard', true],
    ['unguard', false],
  ] as const)
    expect(await verb(name)).toMatchObject({
      id: environment.id,
      variant_id: environment_variant.id,
      flags: { is_guarded },
    })
})

test('a guard is set, shown and lifted, and edits leave it', async () => {
  const { api, environment } = await withEnvironment()
  const verb = async (name: string, id: string) => api.post(`/simple/environments/${id}/${name}`)
  expect((await verb('guard', environment.id)).environment.flags).toEqual({ is_guarded: true })
  await api.ok('PUT', `/environments/${environment.id}`, { environment: { name: 'Guarded' } })
  await api.ok('PUT', `/simple/environments/${environment.id}`, { environment: { description: 'still' } })
  const { environments } = await api.post('/environments/query', { environment: { flags: { is_guarded: true } } })
  expect(environments).toMatchObject([{ id: environment.id, name: 'Guarded', description: 'still' }])
  expect((await api.post(`/simple/environments/${environment.id}/archive`)).environment.deleted_at).toEqual(
    expect.any(String),
  )
  expect((await verb('unguard', environment.id)).environment.flags).toEqual({ is_guarded: false })
  await verb('guard', environment.id)
  const cleared = await api.ok('PUT', `/environments/${environment.id}`, { environment: { flags: null } })
  expect(cleared.environment.flags).toEqual({ is_guarded: false })
  expect(await verb('guard', randomUUID())).toEqual({ count: 0 })
})
