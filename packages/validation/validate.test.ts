import { Problem } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { jsonObject, optional, reference, slug, tags, time, uuid, validate, windowing, z } from './index.ts'

const SHAPE = z.object({
  name: z.string(),
  count: optional(z.boolean()),
  size: optional(z.int()),
  meta: optional(jsonObject),
  tags: optional(tags),
  kind: optional(z.enum(['a', 'b'])),
  closed: optional(z.strictObject({ x: optional(z.string()) })),
  items: optional(z.array(z.object({ key: z.string(), password: optional(z.string()) })).max(2)),
  by: optional(z.record(z.string(), z.boolean())),
  id: optional(uuid),
  ref: optional(reference),
  slug: optional(slug),
  at: optional(time),
  windowing: optional(windowing),
})

function violationsOf(body: unknown, options = {}): unknown {
  try {
    return validate(SHAPE, body, 'body', options)
  } catch (error) {
    if (error instanceof Problem && error.status === 422) return error.detail
    throw error
  }
}

test('the parts that are named are kept, the others are left out, null counts as absent', () => {
  const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  const body = {
    name: 'a',
    count: null,
    meta: deep,
    extra: 1,
    tags: { t: true, n: { m: 'x' } },
    id: '019D9CA100007000800000000000000A',
    ref: { id: null, slug: 'x', other: 1 },
    at: '2026-01-02T03:04:05Z',
    windowing: { limit: 0 },
  }
  const read = validate(SHAPE, body, 'body')
  expect(read.meta).toBe(deep)
  expect(read).toMatchObject({
    name: 'a',
    tags: { t: true, n: { m: 'x' } },
    id: '019d9ca1-0000-7000-8000-00000000000a',
    ref: { slug: 'x' },
    at: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000,
    windowing: { limit: 1 },
  })
  expect(read).not.toHaveProperty('extra')
  expect(read.count).toBe(undefined)
})

test.each<[string, unknown, object[]]>([
  ['no body', undefined, [{ type: 'missing', loc: ['body'], msg: 'Field required' }]],
  ['no object', 'x', [{ type: 'model_attributes_type', loc: ['body'], input: 'x' }]],
  ['missing', { count: true }, [{ type: 'missing', loc: ['body', 'name'], input: { count: true } }]],
  ['null', { name: null }, [{ type: 'string_type', loc: ['body', 'name'], input: null }]],
  ['no boolean', { name: '', count: 'true' }, [{ type: 'bool_type', loc: ['body', 'count'], input: 'true' }]],
  ['no integer', { name: '', size: 1.5 }, [{ type: 'int_type', loc: ['body', 'size'], input: 1.5 }]],
  ['no number', { name: '', size: 'a' }, [{ type: 'int_type', loc: ['body', 'size'], input: 'a' }]],
  ['no dictionary', { name: '', meta: [] }, [{ type: 'dict_type', loc: ['body', 'meta'], input: [] }]],
  ['a number as a tag', { name: '', tags: { a: 2 } }, [{ type: 'value_error', loc: ['body', 'tags'] }]],
  ['another word', { name: '', kind: 'c' }, [{ type: 'enum', loc: ['body', 'kind'], input: 'c' }]],
  [
    'a key too many',
    { name: '', closed: { y: 1 } },
    [{ type: 'extra_forbidden', loc: ['body', 'closed', 'y'], input: 1 }],
  ],
  ['no list', { name: '', items: {} }, [{ type: 'list_type', loc: ['body', 'items'] }]],
  ['a long list', { name: '', items: [1, 2, 3] }, [{ type: 'too_long', loc: ['body', 'items'] }]],
  ['in a list', { name: '', items: [{}] }, [{ type: 'missing', loc: ['body', 'items', 0, 'key'] }]],
  ['no UUID', { name: '', id: 'x' }, [{ type: 'uuid_parsing', loc: ['body', 'id'], input: 'x' }]],
  [
    'a number as version',
    { name: '', ref: { version: 1 } },
    [{ type: 'string_type', loc: ['body', 'ref', 'version'] }],
  ],
  ['a bad slug', { name: '', slug: 'a b' }, [{ type: 'string_pattern_mismatch', loc: ['body', 'slug'] }]],
  ['a slug with an end', { name: '', slug: 'a\n' }, [{ type: 'string_pattern_mismatch', loc: ['body', 'slug'] }]],
  ['a long slug', { name: '', slug: 'a'.repeat(129) }, [{ type: 'string_too_long', loc: ['body', 'slug'] }]],
  [
    'a time beyond those that are stored',
    { name: '', at: '9999-12-31' },
    [{ type: 'less_than_equal', loc: ['body', 'at'], msg: expect.stringContaining('2255-01-01T00:00:00Z') }],
  ],
  [
    'a time before them',
    { name: '', at: '1900-01-01' },
    [{ type: 'greater_than_equal', loc: ['body', 'at'], msg: expect.stringContaining('1970-01-01T00:00:00Z') }],
  ],
  ['no time', { name: '', at: 'soon' }, [{ type: 'datetime_parsing', loc: ['body', 'at'] }]],
  ['a rate', { name: '', windowing: { rate: 2 } }, [{ type: 'less_than_equal', loc: ['body', 'windowing', 'rate'] }]],
  [
    'several at once',
    { items: [{ key: 'k' }, {}], by: { x: 1 } },
    [{ loc: ['body', 'name'] }, { loc: ['body', 'items', 1, 'key'] }, { type: 'bool_type', loc: ['body', 'by', 'x'] }],
  ],
])('%s', (_name, body, violations) => {
  expect(violationsOf(body)).toMatchObject(violations)
})

test.each([{ items: [{ password: 'hunter2' }] }, { name: 'a', items: [{ key: 'k', password: ['hunter2'] }] }])(
  'a password is never repeated: %j',
  body => expect(JSON.stringify(violationsOf(body))).not.toContain('hunter2'),
)

test('what is large is not repeated, and nothing is where that is wished', () => {
  expect(JSON.stringify(violationsOf({ name: Array(60).fill('x') }))).not.toContain('input')
  expect(JSON.stringify(violationsOf({ name: ['x'] }, { echo: false }))).not.toContain('input')
})

test('the schema also describes the request', () => {
  const schema = z.toJSONSchema(SHAPE, { io: 'input', unrepresentable: 'any' })
  expect(schema).toMatchObject({ type: 'object', required: ['name'], properties: { meta: {}, slug: {} } })
})
