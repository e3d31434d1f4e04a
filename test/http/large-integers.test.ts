import { randomUUID } from 'node:crypto'
import { beforeAll, expect, inject, test } from 'vitest'
import { ask, call, newProject, type TestProject } from '../harness.ts'

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
