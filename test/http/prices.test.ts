import { expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'
import { actIn, newMember, newPerson } from './people.ts'

const path = '/api/projects/current/prices'
const { apiUrl } = inject('target')

const put = (project: TestProject, prices: unknown) => project.send('PUT', path, { prices })

const call100 = (model: string, attributes: Record<string, unknown> = {}): OtlpSpan =>
  otlpSpan(
    { traceId: newTraceId() },
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.response.model': model,
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      ...attributes,
    },
  )

/** What a span costs that is stored now: of its own, and with all below it. */
async function costOf(project: TestProject, span: OtlpSpan): Promise<[own: any, total: number]> {
  await project.store(span)
  const { body } = await project.get(`/api/spans/${span.traceId}/${span.spanId}`)
  const { incremental, cumulative } = body.span.attributes.ag.metrics.costs
  return [incremental, cumulative?.total]
}

/** Each writer has read the prices at a time of its own, so one span tells nothing of the next. */
const untilCost = (project: TestProject, span: () => OtlpSpan, cost: [own: object | undefined, total?: number]) =>
  eventually(async () => {
    expect(await costOf(project, span())).toEqual(cost)
    return true
  })

test('a project’s own prices count for what is stored soon after, and for it alone', async () => {
  const [project, other] = [await newProject(), await newProject()]
  expect((await project.get(path)).body).toEqual({ prices: {} })
  expect(await costOf(project, call100('house-7'))).toEqual([undefined, undefined])

  const prices = {
    'house-*': { input: 3, output: 4.5 },
    'azure/gpt-4o-mini': { input: 0.1, output: 0.000001, cached_input: 0, cache_write: 0.2 },
  }
  expect(await put(project, prices)).toMatchObject({ status: 200, body: { prices } })
  expect((await project.get(path)).body).toEqual({ prices })
  expect((await other.get(path)).body).toEqual({ prices: {} })
  const own = { prompt: 0.0003, completion: 0.000045, total: 0.000345 }
  await untilCost(project, () => call100('house-7'), [own, own.total])
  const azure = { prompt: 0.00001, completion: 1e-11, total: 0.00001000001 }
  await untilCost(project, () => call100('gpt-4o-mini', { 'gen_ai.provider.name': 'azure' }), [azure, azure.total])
  expect(await costOf(project, call100('house-7', { 'ag.metrics.unit.costs.total': 9 }))).toEqual([{ total: 9 }, 9])
  expect((await costOf(project, call100('gpt-4o-mini')))[1]).toBe(0.000021)
  expect(await costOf(other, call100('house-7'))).toEqual([undefined, undefined])

  expect(await put(project, {})).toMatchObject({ status: 200, body: { prices: {} } })
  await untilCost(project, () => call100('house-7'), [undefined, undefined])
})

test('a body that cannot be used names the field', async () => {
  const project = await newProject()
  const price = { input: 1, output: 2 }
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`model-${index}`, price]))
  const wrong: [prices: unknown, loc: (string | number)[], type: string][] = [
    [undefined, [], 'missing'],
    [[price], [], 'dict_type'],
    [{ m: { input: 1 } }, ['m', 'output'], 'missing'],
    [{ m: { ...price, input: '1' } }, ['m', 'input'], 'float_type'],
    [{ m: { ...price, input: -1 } }, ['m', 'input'], 'greater_than_equal'],
    [{ m: { ...price, output: 1e7 } }, ['m', 'output'], 'less_than_equal'],
    [{ m: { ...price, cached_input: 0.0000001 } }, ['m', 'cached_input'], 'decimal_max_places'],
    [{ m: { ...price, cached: 1 } }, ['m', 'cached'], 'extra_forbidden'],
    [{ '': price }, [''], 'string_pattern_mismatch'],
    [{ 'a*b': price }, ['a*b'], 'string_pattern_mismatch'],
    [{ '*': price }, ['*'], 'string_pattern_mismatch'],
    [{ M: price, m: price }, ['m'], 'value_error'],
    [many, [], 'too_long'],
  ]
  for (const [prices, loc, type] of wrong)
    expect(await put(project, prices), JSON.stringify(loc)).toMatchObject({
      status: 422,
      body: { detail: [{ type, loc: ['body', 'prices', ...loc] }] },
    })
  expect((await project.get(path)).body).toEqual({ prices: {} })
})

test('every member reads them, admins change them', async () => {
  const host = await newPerson()
  const asked = { prices: { m: { input: 1, output: 2 } } }
  const viewer = actIn(host, await newMember(host, 'viewer'))
  expect((await viewer('GET', '/projects/current/prices')).status).toBe(200)
  expect((await viewer('PUT', '/projects/current/prices', asked)).status).toBe(403)
  const admin = actIn(host, await newMember(host, 'admin'))
  expect((await admin('PUT', '/projects/current/prices', asked)).status).toBe(200)
  expect((await viewer('GET', '/projects/current/prices')).body).toEqual(asked)
  expect((await call(apiUrl, 'GET', path, undefined)).status).toBe(401)
})
