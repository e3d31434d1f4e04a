import { randomUUID } from 'node:crypto'
import { beforeAll, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'

const PATH = '/api/annotations'
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const linkTo = () => ({ trace_id: newTraceId(), span_id: newSpanId() })
const sent = (members: object = {}) => ({ data: { outputs: { ok: true } }, references: {}, links: {}, ...members })
const post = (members: object = {}, of = project) => of.post(`${PATH}/`, { annotation: sent(members) })

async function create(members: object = {}, of = project): Promise<any> {
  const answer = await post(members, of)
  expect([answer.status, answer.body.count]).toEqual([200, 1])
  return answer.body.annotation
}
const read = async (id: string, of = project): Promise<any> => (await of.get(`${PATH}/${id}`)).body
const patch = (id: string, annotation: object) => project.send('PATCH', `${PATH}/${id}`, { annotation })

test('an annotation has an evaluator, which is made when it is not there, under the slug or under a random one', async () => {
  const links = { invocation: linkTo() }
  const annotation = await create({ origin: 'human', references: { evaluator: { slug: 'quality' } }, links })
  expect(annotation).toMatchObject({
    origin: 'human',
    kind: 'adhoc',
    channel: 'api',
    data: { outputs: { ok: true } },
    links,
    references: {
      evaluator: { id: UUID, slug: 'quality' },
      evaluator_variant: { id: UUID, slug: expect.any(String) },
      evaluator_revision: { id: UUID, slug: expect.any(String), version: '1' },
    },
  })
  expect(await read(annotation.trace_id)).toMatchObject({
    count: 1,
    annotation: { ...annotation, created_at: expect.any(String) },
  })
  const { span } = (await project.get(`/api/spans/${annotation.trace_id}/${annotation.span_id}`)).body
  expect(span).toMatchObject({ span_name: 'quality', trace_type: 'annotation' })
  expect(span.attributes.ag.flags).toMatchObject({
    is_evaluator: true,
    is_feedback: true,
    is_custom: false,
    is_evaluation: false,
  })
  const again = await create({ references: { evaluator: { id: annotation.references.evaluator.id } } })
  expect(again.references).toEqual(annotation.references)
  const random = await create()
  expect(random.references.evaluator).toEqual({ id: UUID, slug: expect.stringMatching(/^[0-9a-f]{12}$/) })
})

test('data has to be as the evaluator says; feedback that says less is as good', async () => {
  const references = { evaluator: { slug: `score-${randomUUID()}` } }
  await create({ references, data: { outputs: { rating: 4, note: 'clear', tags: ['a'] } } })
  await create({ references, data: { outputs: { rating: 5.5 } } })
  await create({ references, data: { outputs: { other: true } } })
  const bad = await post({ references, data: { outputs: { rating: 'high', note: 1 } } })
  expect(bad.status).toBe(422)
  expect(bad.body.detail).toHaveLength(2)
  expect(bad.body.detail).toContainEqual({
    type: 'value_error.json_schema',
    loc: ['body', 'annotation', 'data', 'outputs', 'rating'],
    msg: expect.any(String),
  })
})

test('an edit keeps the evaluator and is checked against it', async () => {
  const made = await create({
    references: { evaluator: { slug: `edit-${randomUUID()}` } },
    tags: { a: true },
    links: { invocation: linkTo() },
  })
  const bad = await patch(made.trace_id, { data: { outputs: { ok: 'yes' } } })
  expect(bad).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'annotation', 'data', 'outputs', 'ok'] }] },
  })
  const good = await patch(made.trace_id, {
    data: { outputs: { ok: false } },
    references: { testset: { slug: 's' }, evaluator: { slug: 'x' } },
  })
  expect(good.body.annotation).toMatchObject({ data: { outputs: { ok: false } }, tags: { a: true }, links: made.links })
  expect(good.body.annotation.references).toEqual({ ...made.references, testset: { slug: 's' } })
  const { annotation } = await read(made.trace_id)
  expect(annotation).toMatchObject({
    references: good.body.annotation.references,
    updated_by_id: UUID,
    data: { outputs: { ok: false } },
  })
})

test.each(['human', 'custom', 'auto'])('origin %s comes back, also after reading', async origin => {
  const made = await create({ origin, kind: 'eval', channel: 'sdk' })
  expect(made).toMatchObject({ origin, kind: 'eval', channel: 'sdk' })
  expect((await read(made.trace_id)).annotation).toMatchObject({ origin, kind: 'eval', channel: 'sdk' })
})

test('deleting answers a link once; ids that are none are refused where something changes', async () => {
  const { trace_id, span_id } = await create()
  const answer = await project.send('DELETE', `${PATH}/${trace_id}?span_id=${newSpanId()}`)
  expect([answer.status, answer.body]).toEqual([200, { count: 1, annotation_link: { trace_id, span_id } }])
  expect((await project.send('DELETE', `${PATH}/${trace_id}`)).body).toEqual({ count: 0 })
  expect(await read(trace_id)).toEqual({ count: 0 })
  expect(await read('xyz')).toEqual({ count: 0 })
  for (const method of ['PATCH', 'DELETE'] as const)
    expect((await project.send(method, `${PATH}/xyz`, { annotation: { data: {} } })).status).toBe(400)
  expect((await patch(newTraceId(), { data: {} })).body).toEqual({ count: 0 })
})

test('queries find annotations, those of other surfaces too, and no invocation', async () => {
  const of = await newProject()
  const target = linkTo()
  const one = await create(
    { origin: 'human', references: { evaluator: { slug: 'e1' } }, links: { invocation: target } },
    of,
  )
  const two = await create({ references: { evaluator: { slug: 'e2' } }, tags: { t: 'x' } }, of)
  const trace = {
    data: { outputs: 1 },
    references: { evaluator: { slug: 'e3' } },
    links: { a: linkTo() },
    origin: 'human',
  }
  const three = (await of.post('/api/simple/traces/', { trace })).body.trace
  await of.post('/api/simple/traces/', { trace: { ...trace, references: {} } })
  await of.post('/api/invocations/', { invocation: { data: { outputs: 1 }, references: {}, links: null } })
  const found = async (body: object): Promise<string[]> => {
    const answer = await of.post(`${PATH}/query`, body)
    expect(answer.status).toBe(200)
    return answer.body.annotations.map((each: any) => each.trace_id).toSorted()
  }
  const ids = (...of: any[]): string[] => of.map(each => each.trace_id).toSorted()
  await eventually(
    async () => (await found({})).length === 3 && (await of.post('/api/traces/query', {})).body.count === 5,
  )
  const cases: [object, string[]][] = [
    [{}, ids(one, two, three)],
    [{ annotation: { origin: 'human' } }, ids(one, three)],
    [{ annotation: { origin: 'custom' } }, ids(two)],
    [{ annotation: { references: { evaluator: { slug: 'e1' } } } }, ids(one)],
    [{ annotation: { links: { x: target } } }, ids(one)],
    [{ annotation: { tags: { t: 'x' } } }, ids(two)],
    [{ annotation_links: [{ trace_id: two.trace_id }] }, ids(two)],
    [{ annotation_links: [{ trace_id: newTraceId() }] }, []],
  ]
  for (const [body, expected] of cases) expect([body, await found(body)]).toEqual([body, expected])
  expect((await of.post(`${PATH}/query`, undefined)).status).toBe(422)
})

test.each<[string, object | undefined, (string | number)[]]>([
  ['no annotation', {}, ['annotation']],
  ['no links', { annotation: { ...sent(), links: undefined } }, ['annotation', 'links']],
  ['null for links', { annotation: { ...sent(), links: null } }, ['annotation', 'links']],
  ['no data', { annotation: { ...sent(), data: undefined } }, ['annotation', 'data']],
])('%s is refused', async (_name, body, loc) => {
  const answer = await project.post(PATH, body)
  expect(answer.status).toBe(422)
  expect(answer.body.detail[0].loc).toEqual(['body', ...loc])
})

test('references that contradict each other are refused', async () => {
  const one = await create({ references: { evaluator: { slug: 'c1' } } })
  const two = await create({ references: { evaluator: { slug: 'c2' } } })
  const references = { evaluator: one.references.evaluator, evaluator_variant: two.references.evaluator_variant }
  expect((await post({ references })).status).toBe(400)
  for (const layer of ['evaluator', 'evaluator_variant', 'evaluator_revision'])
    expect((await post({ references: { [layer]: { version: '1' } } })).status).toBe(400)
  const unknown = { evaluator: { slug: 'c1' }, evaluator_revision: { version: '77' } }
  expect((await post({ references: unknown })).status).toBe(400)
})

test('nobody without a key', async () => {
  expect((await call(inject('target').apiUrl, 'POST', PATH, undefined, {})).status).toBe(401)
})
