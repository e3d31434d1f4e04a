import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type RegistryClient, registryClient } from '../registry-client.ts'
import { sampledRuns } from '../sets/sample.ts'

let api: RegistryClient
let variantId: string
let environmentId: string

beforeAll(async () => {
  api = await registryClient()
  const { workflow } = await api.post('/simple/workflows/', {
    workflow: { slug: 'target', data: { parameters: { a: { b: [1] } } } },
  })
  const { environment } = await api.post('/simple/environments/', { environment: { slug: 'place' } })
  variantId = workflow.variant_id
  environmentId = environment.id
})

const header = { name: 'n', description: 'd', flags: { is_evaluator: true }, tags: { a: { b: true } }, meta: { m: 1 } }
const windowing = {
  limit: 3,
  order: 'ascending',
  newest: '2030-01-01T00:00:00Z',
  oldest: '2020-01-01',
  next: randomUUID(),
}
const refs = [{ id: randomUUID(), slug: 's', version: '1' }]
const operations = [
  {
    operation: 'edit_text',
    target: ['parameters', { list: 'tools', key: 'x' }, 'y'],
    edits: [{ old_text: 'a', new_text: 'b' }],
  },
]

/** Valid requests, to be corrupted. */
const REQUESTS: [path: string, body: () => object][] = [
  [
    '/simple/applications/',
    () => ({
      application: {
        slug: `f-${randomUUID()}`,
        ...header,
        data: {
          uri: 'agenta:builtin:completion:v0',
          url: 'http://x',
          schemas: { inputs: { type: 'object' } },
          parameters: { prompt: {} },
        },
      },
    }),
  ],
  [
    '/simple/evaluators/',
    () => ({
      evaluator: {
        slug: `f-${randomUUID()}`,
        data: { uri: 'agenta:builtin:match:v0', parameters: { matchers: [{ key: 'a' }] } },
      },
    }),
  ],
  [
    '/simple/queries/',
    () => ({
      query: {
        slug: `f-${randomUUID()}`,
        data: { filtering: { conditions: [{ field: 'span_name', value: 'x' }] }, windowing: { limit: 1 } },
      },
    }),
  ],
  [
    '/simple/environments/query',
    () => ({ environment: { ...header, slugs: ['a'], folder_id: null }, windowing, include_archived: true }),
  ],
  [
    '/workflows/revisions/query',
    () => ({
      workflow_refs: refs,
      workflow_variant_refs: refs,
      workflow_revision_refs: refs,
      workflow_revision: { ...header, message: 'm', author: randomUUID(), date: '2026-01-01' },
      windowing,
    }),
  ],
  ['/environments/revisions/query', () => ({ references: refs })],
  [
    '/workflows/revisions/commit',
    () => ({
      workflow_revision: {
        workflow_variant_id: variantId,
        ...header,
        delta: { set: { parameters: { x: 1 } }, remove: ['parameters.a'] },
      },
    }),
  ],
  [
    '/workflows/revisions/commit',
    () => ({
      workflow_revision: { workflow_variant_id: variantId, base_revision_id: randomUUID(), delta: { operations } },
    }),
  ],
  [
    '/environments/revisions/commit',
    () => ({
      environment_revision: {
        environment_id: environmentId,
        delta: { set: { k: { application_revision: refs[0] } }, remove: ['z'] },
      },
    }),
  ],
  [
    '/applications/revisions/retrieve',
    () => ({
      application_ref: { slug: 'target' },
      application_revision_ref: { version: '1' },
      environment_ref: { slug: 'place' },
      key: 'k',
    }),
  ],
  [
    '/applications/revisions/deploy',
    () => ({ application_ref: { slug: 'target' }, environment_ref: { slug: 'place' }, message: 'm' }),
  ],
  [
    '/workflows/variants/fork',
    () => ({
      workflow_variant: { slug: `f-${randomUUID()}` },
      workflow_variant_ref: { id: variantId },
      workflow_revision_ref: { version: '0' },
    }),
  ],
  ['/workflows/revisions/log', () => ({ workflow_revisions: { workflow_variant_id: variantId, depth: 2 } })],
]

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e300,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '1',
    '__proto__',
    '%',
    'a\n',
    [],
    {},
    [null],
    { a: null },
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

const spoilt = fc.record({
  request: fc.constantFrom(...REQUESTS),
  /** The position of the replaced value in the body, as a fraction of all values. */
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  value: odd,
})

test('no request, however odd, is more than the registry can take', async () => {
  await fc.assert(
    fc.asyncProperty(spoilt, async ({ request: [path, body], at, value }) => {
      const text = replaced(body(), at, value)
      const { status, text: answer } = await api.send('POST', path, text)
      expect(status, `${path} ${text} ${answer}`).toBeLessThan(500)
    }),
    { numRuns: sampledRuns(300) },
  )
})

function replaced(body: object, at: number, value: unknown): string {
  const whole: unknown[] = []
  JSON.stringify(body, (_key, member) => {
    whole.push(member)
    return member
  })
  const target = Math.floor(at * whole.length)
  let index = 0
  return JSON.stringify(body, (_key, member) => (index++ === target ? value : member)) ?? 'null'
}
