import { Ajv2020 } from 'ajv/dist/2020.js'
import { OpenAPIClientAxios } from 'openapi-client-axios'
import { beforeAll, expect, inject, test } from 'vitest'
import { ask, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

const { apiUrl, servicesUrl } = inject('target')
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

test('a body is required where one must be sent', () => {
  const isRequired = (path: string): boolean => document.paths[path].post.requestBody.required
  for (const action of ['close', 'open']) expect(isRequired(`/evaluations/runs/{run_id}/${action}`)).toBe(false)
  expect(isRequired('/evaluations/runs/query')).toBe(true)
  expect(JSON.stringify(document)).not.toContain('x-body-optional')
})

test('the document is public, and browsable', async () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Spanhouse' }, servers: [{ url: '/api' }] })
  for (const path of ['/api/docs', '/api/docs/', '/docs']) {
    const page = await ask(apiUrl + path)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('swagger-ui') })
    const [, script] = /src="([^"]*swagger-ui-bundle.js)"/.exec(page.text) ?? []
    expect((await ask(new URL(script as string, apiUrl + path).href)).status).toBe(200)
  }
})

test('what load balancers and Prometheus ask is in it', () => {
  for (const one of [document, receiverDocument])
    for (const path of ['/health', '/ready', '/metrics']) expect(one.paths[path].get.tags).toEqual(['health'])
})

test('a process that cannot do its work, and metrics, are described as they are answered', async () => {
  for (const one of [document, receiverDocument]) {
    const { 200: ready, 503: notReady } = one.paths['/ready'].get.responses
    const stateIn = ({ content }: any) => content['application/json'].schema.properties.status.enum
    expect([stateIn(ready), stateIn(notReady)]).toEqual([['ok', 'degraded'], ['not ready']])
  }
  expect(typesOf('get', '/metrics')).toEqual(['text/plain'])
  expect((await fetch(`${apiUrl}/metrics`)).headers.get('content-type')).toMatch(/^text\/plain/)
})

const typesOf = (method: string, path: string): string[] =>
  Object.keys(document.paths[path][method].responses['200'].content)

test.each([
  ['get', '/spans/tail', ['text/event-stream']],
  ['get', '/evaluations/runs/{run_id}/events', ['text/event-stream']],
  ['post', '/events/export', ['application/jsonl']],
  ['post', '/simple/testsets/{testset_id}/download', ['application/json', 'text/csv']],
  ['post', '/spans/query', ['application/json']],
])('%s %s answers %j', (method, path, types) => expect(typesOf(method, path)).toEqual(types))

test('every response that an operation can have is in it: without a body, refused, failed', () => {
  for (const [path, method, { responses }] of [...operations(), ...operations(receiverDocument)]) {
    expect(responses, `${method} ${path}`).toHaveProperty('default.content')
    expect(responses['204'] ?? {}, `${method} ${path}`).not.toHaveProperty('content')
  }
})

test('requests to run that are refused, and runs that fail, are as they are described', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const requests: [path: string, body: unknown, status: number][] = [
    ['/invoke', {}, 400],
    ['/invoke', [], 422],
    ['/inspect', { revision: { data: { uri: 'agenta:builtin:none:v0' } } }, 400],
    ['/inspect', [], 422],
    ['/completion/run', { app: 'no-such-application' }, 404],
  ]
  const { body: described } = await ask(new URL('/api/openapi.json', servicesUrl).href)
  for (const [path, body, status] of requests) {
    const { responses } = described.paths[`/services${path}`].post
    const matches = ajv.compile(responses.default.content['application/json'].schema)
    const answer = await project.run(path, body)
    expect(answer.status, `${path}: ${answer.text}`).toBe(status)
    expect(matches(answer.body), `${path}: ${answer.text}`).toBe(true)
  }
})

test('every operation says what it does, once', () => {
  const ids = operations().map(([, , operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [path, method, operation] of operations())
    expect(operation, `${method} ${path}`).toMatchObject({
      summary: expect.stringMatching(/^(?!.*\ba (?:application|evaluator|environment)\b).*\.$/),
      tags: [expect.any(String)],
    })
})

/** Places in a schema that say nothing: no type, no choice, no description. */
function* vagueIn(schema: any, place = ''): Generator<string> {
  const says = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'description', 'not']
  if (!says.some(name => name in schema)) yield place || '/'
  for (const name of ['anyOf', 'oneOf', 'allOf'])
    for (const [index, one] of (schema[name] ?? []).entries()) yield* vagueIn(one, `${place}/${name}/${index}`)
  for (const [name, one] of Object.entries(schema.properties ?? {})) yield* vagueIn(one, `${place}/${name}`)
  if (schema.items) yield* vagueIn(schema.items, `${place}/items`)
}

test('the body of every operation is described, with an example that fits', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const bodies = [...operations(), ...operations(receiverDocument)].filter(([, , { requestBody }]) => requestBody)
  expect(bodies.length).toBeGreaterThan(200)
  for (const [path, method, { requestBody }] of bodies)
    for (const [type, { schema, example }] of Object.entries<any>(requestBody.content)) {
      const name = `${method} ${path} (${type})`
      expect([...vagueIn(schema)], name).toEqual([])
      // An empty object, for bodies without required members, is left out of the document.
      const fits = ajv.compile(schema)
      expect(fits(example ?? {}), `${name}: ${JSON.stringify([example, fits.errors])}`).toBe(true)
    }
})

test('the answer of every operation is described', () => {
  for (const [path, method, { responses }] of [...operations(), ...operations(receiverDocument)])
    for (const [status, { content = {} }] of Object.entries<any>(responses))
      for (const { schema } of Object.values<any>(content))
        expect([...vagueIn(schema)], `${method} ${path} ${status}`).toEqual([])
  const { properties } = document.paths['/spans/query'].post.responses['200'].content['application/json'].schema
  expect(properties.spans.items.properties).toMatchObject({ span_type: { enum: expect.any(Array) }, events: {} })
  expect(properties.windowing.properties).toHaveProperty('next')
})

test('queries name the fields and operators of filters, with an example', () => {
  const { schema, example } = document.paths['/spans/query'].post.requestBody.content['application/json']
  const { properties } = schema.anyOf[0]
  const [condition] = properties.filtering.properties.conditions.items.anyOf
  expect(condition.properties.field.enum).toEqual(expect.arrayContaining(['span_name', 'attributes', 'content']))
  expect(condition.properties.operator.enum).toEqual(expect.arrayContaining(['is', 'btwn', 'not_exists']))
  for (const field of condition.properties.field.enum)
    expect(properties.filtering.description).toContain(`- \`${field}\`: `)
  expect(example.filtering.conditions.length).toBeGreaterThan(2)
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
