import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { ask, call, newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const { apiUrl, adminKey } = inject('target')

/** Not a number that JavaScript has. */
const LARGE = '9007199254740993'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

type Place = readonly (string | number)[]

/** The places in a body where nothing but an object is right. */
function* objectsIn(schema: any, place: Place = []): Generator<Place> {
  if (schema.type === 'object') yield place
  const choices = (schema.anyOf ?? []).filter((one: any) => one.type !== 'null')
  if (choices.length === 1) yield* objectsIn(choices[0], place)
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* objectsIn(member, [...place, name])
  if (schema.items) yield* objectsIn(schema.items, [...place, 0])
}

/** A body with nothing in it but the integer. */
const bodyWith = (place: Place): string =>
  place.reduceRight<string>((inner, step) => (step === 0 ? `[${inner}]` : `{"${step}":${inner}}`), LARGE)

test('an integer past 2^53 is an object nowhere', async () => {
  const { body: document } = await ask(`${apiUrl}/api/openapi.json`)
  const operations = Object.entries<any>(document.paths)
    // Exports are rejected in a form of their own.
    .filter(([path]) => path !== '/otlp/v1/traces')
    .flatMap(([path, methods]) =>
      Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation })),
    )
  let count = 0
  for (const { path, method, operation } of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema ?? {}
    const url = `/api${path.replace('{key}/{version}', 'echo/v0').replace(/\{[^}]+\}/g, randomUUID())}`
    const header = path.startsWith('/admin/') ? `Access ${adminKey}` : `ApiKey ${project.apiKey}`
    const refused = async (place: Place): Promise<void> => {
      const { status, text, body } = await call(apiUrl, method.toUpperCase(), url, header, bodyWith(place))
      expect([status, text], `${method} ${path} ${bodyWith(place)}`).toEqual([
        422,
        expect.not.stringContaining('rawJSON'),
      ])
      expect(body.detail).toContainEqual(expect.objectContaining({ loc: ['body', ...place] }))
    }
    const places = [...objectsIn(schema)]
    count += places.length
    await Promise.all(places.map(refused))
  }
  expect(count).toBeGreaterThan(1_000)
})

describe('a number that is too large for a double', () => {
  const number = '-1e400'
  test.each([
    [
      '/tracing/spans/ingest',
      `{"spans":[{"attributes":{"ag":{"data":{"outputs":{"v":${number}}}}}}]}`,
      ['spans', 0, 'attributes', 'ag'],
    ],
    [
      '/simple/applications/',
      `{"application":{"slug":"a","meta":{"a":[1,${number}]}}}`,
      ['application', 'meta', 'a', 1],
    ],
    ['/testcases/query', number, []],
  ])('%s', async (path, sent, loc) => {
    expect(await project.post(`/api${path}`, sent)).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            type: 'json_invalid',
            loc: ['body', ...loc],
            msg: 'JSON should have numbers between -1.7976931348623157e+308 and 1.7976931348623157e+308',
          },
        ],
      },
    })
  })

  test('in an export and in a file', async () => {
    const attributes = `[{"key":"n","value":{"doubleValue":${number}}}]`
    expect(
      await project.export(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":${attributes}}]}]}]}`),
    ).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('should have numbers between') },
    })
    const form = new FormData()
    form.set('file', new Blob([`[{"a":${number}}]`]), 'rows.json')
    form.set('file_type', 'json')
    const headers = { authorization: `ApiKey ${project.apiKey}` }
    expect(await ask(`${apiUrl}/api/simple/testsets/upload`, { method: 'POST', headers, body: form })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('should have numbers between') },
    })
  })

  test('stays text in a JSON text', async () => {
    const traceId = newTraceId()
    await project.store(otlpSpan({ traceId }, { 'ag.data.inputs': '@ag.type=json:{"v":1e400}' }))
    expect((await project.get(`/api/traces/${traceId}`)).text).toContain('1e400')
  })

  test('one too small is zero', async () => {
    const { status, body } = await project.post(
      '/api/simple/applications/',
      '{"application":{"slug":"small","meta":{"a":1e-400}}}',
    )
    expect([status, body.application?.meta]).toEqual([200, { a: 0 }])
  })
})
