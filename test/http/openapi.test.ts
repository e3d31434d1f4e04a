import { OpenAPIClientAxios } from 'openapi-client-axios'
import { beforeAll, expect, inject, test } from 'vitest'
import { ask, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

const { apiUrl } = inject('target')
let project: TestProject
let document: any

beforeAll(async () => {
  project = await newProject()
  document = (await ask(`${apiUrl}/api/openapi.json`)).body
  receiverDocument = (await ask(`${project.receiverUrl}/api/openapi.json`)).body
})

/** Where roles run apart, each describes what it answers. */
let receiverDocument: any

const operations = (of = document): [string, string, any][] =>
  Object.entries<any>(of.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): [string, string, any] => [path, method, operation]),
  )

test('the document is public, and browsable', async () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Spanhouse' }, servers: [{ url: '/api' }] })
  for (const path of ['/api/docs', '/api/docs/', '/docs']) {
    const page = await ask(apiUrl + path)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('swagger-ui') })
    const [, script] = /src="([^"]*swagger-ui-bundle.js)"/.exec(page.text) ?? []
    expect((await ask(new URL(script as string, apiUrl + path).href)).status).toBe(200)
  }
})

test('every operation says what it does, once', () => {
  const ids = operations().map(([, , operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [path, method, operation] of operations())
    expect(operation, `${method} ${path}`).toMatchObject({
      summary: expect.stringMatching(/\.$/),
      tags: [expect.any(String)],
    })
})

test.each([
  ['post', '/otlp/v1/traces', false],
  ['post', '/traces/query', false],
  ['post', '/traces/ingest', true],
  ['post', '/tracing/spans/ingest', true],
  ['post', '/tracing/spans/query', true],
  ['post', '/tracing/traces/query', true],
])('%s %s is in it; deprecated: %s', (method, path, deprecated) => {
  const all = [...operations(), ...operations(receiverDocument)]
  const found = all.find(([one, verb]) => one.replace(/\/$/, '') === path && verb === method)
  expect(found).toBeDefined()
  expect(found?.[2].deprecated ?? false).toBe(deprecated)
})

test('a client generated from the document sends spans, finds them and creates an application', async () => {
  const axiosConfigDefaults = {
    baseURL: `${apiUrl}/api`,
    headers: { authorization: `ApiKey ${project.apiKey}` },
    validateStatus: () => true,
  }
  const clientOf = (definition: any): Promise<any> => new OpenAPIClientAxios({ definition, axiosConfigDefaults }).init()
  const [client, receiver] = [await clientOf(document), await clientOf(receiverDocument)]
  const call = async (operation: string, body: object): Promise<any> => (await client[operation](null, body)).data

  const span = otlpSpan({ traceId: newTraceId(), name: 'generated' })
  const sent = await receiver.post_otlp_v1_traces(null, exportOf(span), { baseURL: `${project.receiverUrl}/api` })
  expect(sent.data).toEqual({ count: 1, links: [{ trace_id: span.traceId, span_id: span.spanId }] })
  const condition = { field: 'span_name', operator: 'is', value: 'generated' }
  const found = await eventually(async () => {
    const { count, spans } = await call('post_spans_query', { filtering: { conditions: [condition] } })
    return count === 1 && spans[0]
  })
  expect(found).toMatchObject({ trace_id: span.traceId, span_name: 'generated' })
  const refused = await call('post_spans_query', { filtering: { conditions: [{ ...condition, field: 'nothing' }] } })
  expect(refused).toEqual({ detail: expect.stringContaining('nothing') })

  const slug = `generated-${span.spanId}`
  const data = { uri: 'agenta:builtin:completion:v0', parameters: { prompt: { messages: [] } } }
  const made = await call('post_simple_applications', { application: { slug, name: 'Generated', data } })
  expect(made).toMatchObject({ count: 1, application: { slug, flags: { is_application: true } } })
  const retrieved = await call('post_applications_revisions_retrieve', { application_ref: { slug } })
  expect(retrieved.application_revision).toMatchObject({ version: '1', data: { uri: data.uri } })
})
