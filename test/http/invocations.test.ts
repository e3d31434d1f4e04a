import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'

const PATH = '/api/invocations'
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const linkTo = () => ({ trace_id: newTraceId(), span_id: newSpanId() })
const sent = (members: object = {}) => ({
  data: { inputs: { q: 1 }, outputs: 'a' },
  references: {},
  links: null,
  ...members,
})

async function create(members: object = {}, of = project): Promise<any> {
  const answer = await of.post(`${PATH}/`, { invocation: sent(members) })
  expect([answer.status, answer.body.count]).toEqual([200, 1])
  return answer.body.invocation
}
const read = async (id: string): Promise<any> => (await project.get(`${PATH}/${id}`)).body

test('an invocation has an application, which is made without data when it is not there', async () => {
  const invocation = await create({ references: { application: { slug: 'bot' } }, tags: { a: 'b' } })
  expect(invocation).toMatchObject({
    data: { inputs: { q: 1 }, outputs: 'a' },
    tags: { a: 'b' },
    kind: 'adhoc',
    channel: 'api',
    references: {
      application: { id: UUID, slug: 'bot' },
      application_variant: { id: UUID, slug: expect.any(String) },
      application_revision: { id: UUID, slug: expect.any(String), version: expect.any(String) },
    },
  })
  expect((await read(invocation.trace_id)).invocation).toMatchObject({ ...invocation, created_at: expect.any(String) })
  const { span } = (await project.get(`/api/spans/${invocation.trace_id}/${invocation.span_id}`)).body
  expect(span).toMatchObject({ span_name: 'bot', trace_type: 'invocation', span_type: 'task' })
  const again = await create({ references: { application: { slug: 'bot' } }, links: { about: linkTo() } })
  expect(again.references).toEqual(invocation.references)
  expect((await project.get(`/api/annotations/${again.trace_id}`)).body).toEqual({ count: 0 })
  const byId = await create({ references: { application: { id: invocation.references.application.id } } })
  expect(byId.references).toEqual(invocation.references)
  await read(byId.trace_id)
  const unnamed = (await project.get(`/api/spans/${byId.trace_id}/${byId.span_id}`)).body.span
  expect(unnamed.span_name).toMatch(/^[0-9a-f]{12}$/)
})

test('an environment that leads nowhere and references that contradict each other are refused', async () => {
  const [one, two] = [
    await create({ references: { application: { slug: 'x1' } } }),
    await create({ references: { application: { slug: 'x2' } } }),
  ]
  const contradiction = {
    application: one.references.application,
    application_revision: two.references.application_revision,
  }
  const nowhere = { environment: { slug: `none-${randomUUID()}` }, application: { slug: 'x1' } }
  for (const references of [contradiction, nowhere, { application_revision: { version: '1' } }])
    expect((await project.post(PATH, { invocation: sent({ references }) })).status).toBe(400)
})

test('links have to be there, and may be null', async () => {
  const { links: _, ...without } = sent()
  const answer = await project.post(PATH, { invocation: without })
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'invocation', 'links'] }] },
  })
  const links = { a: linkTo() }
  expect((await create({ links })).links).toEqual(links)
})

test('an edit keeps the application', async () => {
  const made = await create({ references: { application: { slug: 'kept' } }, meta: { m: 1 } })
  const answer = await project.send('PATCH', `${PATH}/${made.trace_id}`, {
    invocation: { data: { outputs: 'b' }, references: { testset: { slug: 't' } } },
  })
  expect(answer).toMatchObject({
    status: 200,
    body: { count: 1, invocation: { data: { outputs: 'b' }, meta: { m: 1 } } },
  })
  expect(answer.body.invocation.references).toEqual({ ...made.references, testset: { slug: 't' } })
  expect((await read(made.trace_id)).invocation.data).toEqual({ outputs: 'b' })
})

test('queries, and deleting', async () => {
  const of = await newProject()
  const one = await create({ references: { application: { slug: 'a1' } }, channel: 'web' }, of)
  const two = await create({ references: { application: { slug: 'a2' } }, meta: { n: 1 } }, of)
  const found = async (body: object): Promise<string[]> =>
    (await of.post(`${PATH}/query`, body)).body.invocations.map((each: any) => each.trace_id).toSorted()
  await eventually(async () => (await found({})).length === 2)
  expect(await found({ invocation: { references: { application: { slug: 'a1' } } } })).toEqual([one.trace_id])
  expect(await found({ invocation: { channel: 'web' } })).toEqual([one.trace_id])
  expect(await found({ invocation: { meta: { n: 1 } } })).toEqual([two.trace_id])
  expect(await found({ invocation_links: [{ trace_id: two.trace_id, span_id: newSpanId() }] })).toEqual([two.trace_id])
  const { trace_id, span_id } = one
  const answer = await of.send('DELETE', `${PATH}/${trace_id}`)
  expect([answer.status, answer.body]).toEqual([200, { count: 1, invocation_link: { trace_id, span_id } }])
  expect((await of.send('DELETE', `${PATH}/${trace_id}`)).body).toEqual({ count: 0 })
  expect(await found({})).toEqual([two.trace_id])
})
