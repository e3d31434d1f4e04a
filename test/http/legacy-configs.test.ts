import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'

const project = await newProject()

const post = project.posted
const fetchConfig = (body: object) => post('/variants/configs/fetch', body)

await post('/simple/workflows/', { workflow: { slug: 'tone', data: { parameters: { text: 'Be brief.' } } } })
const { application } = await post('/simple/applications/', {
  application: {
    slug: 'bot',
    data: { uri: 'agenta:builtin:completion:v0', parameters: { n: 1, tone: '@{{workflow.slug=tone, path=text}}' } },
  },
})
const { application_revision: second } = await post('/applications/revisions/commit', {
  application_revision: {
    application_variant_id: application.variant_id,
    message: 'two',
    data: { parameters: { n: 2 } },
  },
})
const deploy = (revision_id: string, environment: string) =>
  post('/applications/revisions/deploy', {
    application_revision_ref: { id: revision_id },
    environment_ref: { slug: environment },
    message: `to ${environment}`,
  })
await deploy(application.revision_id, 'production')
await deploy(second.id, 'staging')
const { environment_revision: production } = await post('/environments/revisions/retrieve', {
  environment_ref: { slug: 'production' },
})

test('of a variant: all members, nulls too', async () => {
  const slug = second.application_variant_slug
  expect(await fetchConfig({ variant_ref: { slug }, application_ref: { slug: 'bot' } })).toEqual({
    params: { n: 2 },
    url: null,
    application_ref: { slug: 'bot', version: null, commit_message: null, id: application.id },
    service_ref: null,
    variant_ref: { slug, version: 2, commit_message: 'two', id: application.variant_id },
    environment_ref: null,
    application_lifecycle: { created_at: expect.any(String), updated_at: null, updated_by_id: null, updated_by: null },
    service_lifecycle: null,
    variant_lifecycle: { created_at: expect.any(String), updated_at: null, updated_by_id: null, updated_by: null },
    environment_lifecycle: null,
  })
})

test.each<[string, object, number]>([
  ['a variant by id', { variant_ref: { id: application.variant_id } }, 2],
  ['a version, as text', { variant_ref: { id: application.variant_id, version: '1' } }, 1],
  ['a version, as a number', { variant_ref: { slug: second.application_variant_slug, version: 1 } }, 1],
  ['a revision by id', { variant_ref: { id: application.revision_id } }, 1],
  [
    'an environment beside references that say nothing',
    { variant_ref: { id: null, slug: null }, application_ref: { slug: 'bot' }, environment_ref: { slug: 'staging' } },
    2,
  ],
  ['production by default', { application_ref: { slug: 'bot' } }, 1],
  ['an environment', { application_ref: { id: application.id }, environment_ref: { slug: 'staging' } }, 2],
  ['an environment by its revision', { application_ref: { slug: 'bot' }, environment_ref: { id: production.id } }, 1],
  ['an environment by id', { application_ref: { slug: 'bot' }, environment_ref: { id: production.environment_id } }, 1],
  [
    'a revision of an environment',
    { application_ref: { slug: 'bot' }, environment_ref: { slug: 'production', version: Number(production.version) } },
    1,
  ],
])('by %s', async (_name, body, n) => {
  expect((await fetchConfig(body)).params.n).toBe(n)
})

test('of an environment: embeds are replaced, the environment is named', async () => {
  const config = await fetchConfig({ application_ref: { slug: 'bot' }, environment_ref: { slug: 'production' } })
  expect(config).toMatchObject({
    params: { n: 1, tone: 'Be brief.' },
    url: expect.stringMatching('/services/completion/v0$'),
    variant_ref: { version: 1, commit_message: null },
    environment_ref: {
      slug: 'production',
      version: Number(production.version),
      commit_message: 'to production',
      id: production.id,
    },
    environment_lifecycle: { created_at: expect.any(String) },
  })
})

test.each<[string, object, number]>([
  ['nothing', {}, 404],
  ['an unknown variant', { variant_ref: { id: randomUUID() } }, 404],
  ['an empty variant', { variant_ref: {} }, 404],
  [
    "another application's variant",
    { variant_ref: { id: application.variant_id }, application_ref: { slug: 'else' } },
    404,
  ],
  ['an unknown application', { application_ref: { slug: 'else' } }, 404],
  ['an environment without it', { application_ref: { slug: 'bot' }, environment_ref: { slug: 'development' } }, 404],
  ['a version that is not there', { variant_ref: { id: application.variant_id, version: 9 } }, 404],
  ['a malformed id', { variant_ref: { id: 'x' } }, 422],
])('%s: %i', async (_name, body, status) => {
  const answer = await project.post('/api/variants/configs/fetch', body)
  expect([answer.status, Boolean(answer.body.detail)]).toEqual([status, true])
})
