import { expect, inject, test } from 'vitest'
import { call, newProject } from '../harness.ts'
import { registryClient, slugOf } from '../registry-client.ts'
import { newPerson } from './people.ts'

/** The result, and the slowest response that another caller got meanwhile. */
async function whileAsked<T>(work: () => Promise<T>): Promise<{ result: T; slowestMs: number }> {
  let slowestMs = 0
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      const begin = performance.now()
      await call(inject('target').apiUrl, 'GET', '/api/health', undefined)
      slowestMs = Math.max(slowestMs, performance.now() - begin)
    }
  })()
  const result = await work().finally(() => {
    isDone = true
  })
  await watching
  return { result, slowestMs }
}

const TURN_MS_MAX = 1_500

test('texts are edited in linear time', async () => {
  const api = await registryClient()
  const parameters = { text: `${' \t'.repeat(100_000)}y`, long: 'a'.repeat(900_000) }
  const { workflow } = await api.post('/simple/workflows/', { workflow: { slug: slugOf('w'), data: { parameters } } })
  const edit = (name: string, ...old: string[]) => ({
    operation: 'edit_text',
    target: ['parameters', name],
    edits: old.map(old_text => ({ old_text, new_text: '' })),
  })
  const hard = `${'a'.repeat(40_000)}b${'a'.repeat(40_000)}`
  const { result, slowestMs } = await whileAsked(() =>
    Promise.all(
      [edit('text', ' x'), edit('text', 'x y', ' \n x'), edit('long', hard, 'a')].map(operation =>
        api.send('POST', '/workflows/revisions/commit', {
          workflow_revision: {
            workflow_id: workflow.id,
            workflow_variant_id: workflow.variant_id,
            base_revision_id: workflow.revision_id,
            delta: { operations: [operation] },
          },
        }),
      ),
    ),
  )
  for (const { status, body } of result)
    expect([status, body]).toMatchObject([422, { detail: { code: 'text_not_found' } }])
  expect(slowestMs).toBeLessThan(TURN_MS_MAX)
})

test('schemas that are slow to check delay no other request', async () => {
  const api = await registryClient()
  const draft4 = 'http://json-schema.org/draft-04/schema#'
  const schemas = [
    [{ $schema: '#'.repeat(60_000) }, 200],
    [{ $schema: draft4, enum: Array.from({ length: 40_000 }, (_, at) => [at]) }, 422],
  ] as const
  for (const [inputs, status] of schemas) {
    const { result, slowestMs } = await whileAsked(() =>
      api.send('POST', '/simple/workflows/', { workflow: { slug: slugOf('w'), data: { schemas: { inputs } } } }),
    )
    expect(result.status).toBe(status)
    expect(slowestMs).toBeLessThan(TURN_MS_MAX)
  }
})

test('patterns of evaluators are matched in linear time, and one that cannot be is refused', async () => {
  const project = await newProject()
  const annotate = async (pattern: string, note: string) => {
    const slug = slugOf('e')
    const outputs = { properties: { outputs: { properties: { note: { type: 'string', pattern } } } } }
    const evaluator = { slug, data: { uri: 'acme:custom:feedback:v0', schemas: { outputs } } }
    expect((await project.post('/api/simple/evaluators/', { evaluator })).status).toBe(200)
    const annotation = { references: { evaluator: { slug } }, links: {}, data: { outputs: { note } } }
    return project.post('/api/annotations/', { annotation })
  }
  const { result, slowestMs } = await whileAsked(() => annotate('^(a+)+$', `${'a'.repeat(50_000)}!`))
  expect(result).toMatchObject({
    status: 422,
    body: {
      detail: [{ loc: ['body', 'annotation', 'data', 'outputs', 'note'], msg: expect.stringMatching(/pattern/) }],
    },
  })
  expect(slowestMs).toBeLessThan(TURN_MS_MAX)
  expect((await annotate('^(a+)+$', 'aaa')).status).toBe(200)
  expect(await annotate('^(?=a)b', 'b')).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'annotation', 'data'], msg: expect.stringMatching(/schema cannot be used/) }] },
  })
})

test('tokens with many blanks are read in linear time', async () => {
  const api = await registryClient()
  const text = `@{{workflow.slug=x${' '.repeat(990)}y}} `.repeat(8_000)
  const { result, slowestMs } = await whileAsked(() =>
    api.send('POST', '/workflows/revisions/resolve', { workflow_revision: { data: { parameters: { text } } } }),
  )
  expect(result.status).toBeLessThan(500)
  expect(slowestMs).toBeLessThan(TURN_MS_MAX)
})

test('an address of 80,000 slashes is read in linear time', async () => {
  const person = await newPerson()
  const provider = { url: `https://models.invalid/${'/'.repeat(80_000)}x`, key: 'k' }
  const { result, slowestMs } = await whileAsked(() =>
    person.ask('POST', '/providers/probe', { kind: 'custom', provider }),
  )
  expect(result.status).toBeLessThan(500)
  expect(slowestMs).toBeLessThan(TURN_MS_MAX)
})

test('a wrong verb is distinguished from a wrong path, whatever the path', async () => {
  const { apiUrl } = inject('target')
  const { apiKey } = await newProject()
  const long = `/api/traces/${'x/'.repeat(5_000)}`
  for (const [method, path, status] of [
    ['DELETE', '/api/traces/query', 405],
    ['DELETE', '/api/traces/query/', 405],
    ['GET', '/api/nothing', 404],
    ['GET', long, 404],
  ] as const)
    expect([path.slice(0, 40), (await call(apiUrl, method, path, `ApiKey ${apiKey}`)).status]).toEqual([
      path.slice(0, 40),
      status,
    ])
})
