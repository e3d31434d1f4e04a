import { type JsonObject, REFERENCE_KEYS, SPAN_TYPES, TRACE_TYPES } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { SKELETON, spanOf } from '../conventions/drafts.testing.ts'

const ID = '0d9f8e7c-1111-4222-8333-944455556666'
const metrics = (members: JsonObject): JsonObject => ({ metrics: { ...SKELETON.metrics, ...members } })

/** What is sent under `ag`, and the result without the members that every span has. */
const ROWS: [string, JsonObject, JsonObject][] = [
  ['nothing', {}, {}],
  ['type', { type: { trace: 'annotation', span: 'llm' } }, { type: { trace: 'annotation', span: 'llm' } }],
  [
    'type with unknown words',
    { type: { trace: 'x', span: 'LLM' } },
    { unsupported: { type: { trace: 'x', span: 'LLM' } } },
  ],
  [
    'type with other members',
    { type: { span: 'llm', tree: 't' } },
    { type: { span: 'llm' }, unsupported: { type: { tree: 't' } } },
  ],
  ['type with a number', { type: { span: 5 } }, { unsupported: { type: { span: 5 } } }],
  ['type that is text', { type: 'llm' }, { unsupported: { type: 'llm' } }],
  ['data that is a list', { data: [1] }, { unsupported: { data: [1] } }],
  ['metrics that is a number', { metrics: 5 }, { unsupported: { metrics: 5 } }],
  ['references that is text', { references: 'app' }, { unsupported: { references: 'app' } }],

  ['inputs', { data: { inputs: { a: { b: [null, 1] } } } }, { data: { inputs: { a: { b: [null, 1] } } } }],
  ['inputs as text', { data: { inputs: '{"a":{"b":1}}' } }, { data: { inputs: { a: { b: 1 } } } }],
  ['inputs as text with blanks', { data: { inputs: ' \n{"a":1} ' } }, { data: { inputs: { a: 1 } } }],
  [
    'parameters and internals as text',
    { data: { parameters: '{"a":1}', internals: '{}' } },
    { data: { parameters: { a: 1 }, internals: {} } },
  ],
  ['inputs that are no JSON', { data: { inputs: 'why?' } }, { unsupported: { data: { inputs: 'why?' } } }],
  ['inputs that are broken JSON', { data: { inputs: '{"a":' } }, { unsupported: { data: { inputs: '{"a":' } } }],
  ['inputs that are no object', { data: { inputs: '[1]' } }, { unsupported: { data: { inputs: '[1]' } } }],
  ['inputs that are a list', { data: { inputs: [1] } }, { unsupported: { data: { inputs: [1] } } }],
  [
    'inputs that are a number or true',
    { data: { inputs: 5, internals: true } },
    { unsupported: { data: { inputs: 5, internals: true } } },
  ],
  [
    'a bad input beside a good parameter',
    { data: { inputs: 'x', parameters: { a: 1 } } },
    { data: { parameters: { a: 1 } }, unsupported: { data: { inputs: 'x' } } },
  ],
  ['outputs of any kind', { data: { outputs: [1, { a: null }] } }, { data: { outputs: [1, { a: null }] } }],
  ['outputs that look like JSON', { data: { outputs: '{"a":1}' } }, { data: { outputs: '{"a":1}' } }],
  ['outputs false', { data: { outputs: false } }, { data: { outputs: false } }],
  ['outputs wrapped by the SDK', { data: { outputs: { __default__: 'Lima' } } }, { data: { outputs: 'Lima' } }],
  [
    'outputs wrapped, with a rest',
    { data: { outputs: { __default__: [1], a: 2 } } },
    { data: { outputs: [1] }, unsupported: { data: { outputs: { a: 2 } } } },
  ],
  ['other data', { data: { multimedia: { url: 'u' } } }, { unsupported: { data: { multimedia: { url: 'u' } } } }],

  [
    'numbers of errors',
    { metrics: { errors: { cumulative: 2, incremental: 1 } } },
    metrics({ errors: { cumulative: 2, incremental: 1 } }),
  ],
  [
    'an amount as total',
    { metrics: { errors: { incremental: { total: 3 } } } },
    metrics({ errors: { incremental: 3 } }),
  ],
  [
    'an amount as count',
    { metrics: { errors: { incremental: { count: 3 } } } },
    metrics({ errors: { incremental: 3 } }),
  ],
  [
    'an amount as value, with a rest',
    { metrics: { errors: { incremental: { value: 3, unit: 'n' } } } },
    {
      ...metrics({ errors: { incremental: 3 } }),
      unsupported: { metrics: { errors: { incremental: { unit: 'n' } } } },
    },
  ],
  [
    'an amount that is text',
    { metrics: { errors: { incremental: '3' } } },
    { unsupported: { metrics: { errors: { incremental: '3' } } } },
  ],
  [
    'an amount that is true',
    { metrics: { duration: { incremental: true } } },
    { unsupported: { metrics: { duration: { incremental: true } } } },
  ],
  ['another view', { metrics: { errors: { total: 3 } } }, { unsupported: { metrics: { errors: { total: 3 } } } }],
  ['a metric that is a number', { metrics: { errors: 3 } }, { unsupported: { metrics: { errors: 3 } } }],
  [
    'tokens',
    { metrics: { tokens: { incremental: { prompt: 1, prompt_details: { cached: 2 } } } } },
    metrics({ tokens: { incremental: { prompt: 1, prompt_details: { cached: 2 } } } }),
  ],
  [
    'costs as text',
    { metrics: { costs: { incremental: { total: '0.00012', prompt: '1e-5', completion: '7' } } } },
    metrics({ costs: { incremental: { total: 0.00012, prompt: 0.00001, completion: 7 } } }),
  ],
  [
    'one token count that is no number',
    { metrics: { tokens: { incremental: { prompt: 1, total: 'many' } }, costs: { incremental: { total: 1 } } } },
    {
      ...metrics({ tokens: { incremental: { prompt: 1 } }, costs: { incremental: { total: 1 } } }),
      unsupported: { metrics: { tokens: { incremental: { total: 'many' } } } },
    },
  ],
  [
    'token counts that are true, a list, NaN',
    { metrics: { tokens: { incremental: { a: true, b: [1], c: 'NaN' } } } },
    { unsupported: { metrics: { tokens: { incremental: { a: true, b: [1], c: 'NaN' } } } } },
  ],
  [
    'tokens as a number',
    { metrics: { tokens: { cumulative: 5 } } },
    { unsupported: { metrics: { tokens: { cumulative: 5 } } } },
  ],
  ['another metric', { metrics: { latency: 5 } }, { unsupported: { metrics: { latency: 5 } } }],

  [
    'references',
    { references: { application: { id: ID, slug: 'geo-bot', version: '1' } } },
    { references: { application: { id: ID, slug: 'geo-bot', version: '1' } } },
  ],
  [
    'ids in other forms',
    { references: { testcase: { id: `0x${ID.replaceAll('-', '').toUpperCase()}` } } },
    { references: { testcase: { id: ID } } },
  ],
  [
    'versions that are numbers',
    { references: { application_revision: { version: 3 } } },
    { references: { application_revision: { version: '3' } } },
  ],
  [
    'a bad id',
    { references: { application: { id: 'x', slug: 'a' }, query: { slug: 'b' } } },
    {
      references: { application: { slug: 'a' }, query: { slug: 'b' } },
      unsupported: { references: { application: { id: 'x' } } },
    },
  ],
  [
    'a bad slug',
    { references: { application: { slug: '.a b' }, query: { slug: 'b.c_d-1' } } },
    { references: { query: { slug: 'b.c_d-1' } }, unsupported: { references: { application: { slug: '.a b' } } } },
  ],
  [
    'a bad version',
    { references: { application: { version: [1], slug: 'a' } } },
    { references: { application: { slug: 'a' } }, unsupported: { references: { application: { version: [1] } } } },
  ],
  ['another key', { references: { model: { slug: 'a' } } }, { unsupported: { references: { model: { slug: 'a' } } } }],
  [
    'a reference that is text',
    { references: { application: 'a', query: { slug: 'b' } } },
    { references: { query: { slug: 'b' } }, unsupported: { references: { application: 'a' } } },
  ],
  [
    'a reference with other members',
    { references: { query: { slug: 'b', name: 'B' } } },
    { references: { query: { slug: 'b' } }, unsupported: { references: { query: { name: 'B' } } } },
  ],

  [
    'session, user and agent',
    { session: { id: 's' }, user: { id: 'u' }, agent: { id: 'a' } },
    { session: { id: 's' }, user: { id: 'u' }, agent: { id: 'a' } },
  ],
  [
    'a session with other members',
    { session: { id: 's', started: 1 } },
    { session: { id: 's' }, unsupported: { session: { started: 1 } } },
  ],
  [
    'ids that are no text',
    { session: { id: 5 }, user: { id: null }, agent: { id: ['a'] } },
    { unsupported: { session: { id: 5 }, agent: { id: ['a'] } } },
  ],
  ['a session that is text', { session: 's' }, { unsupported: { session: 's' } }],

  [
    'flags and tags',
    { flags: { a: true, b: 'x', c: { d: false } }, tags: { t: 'x' } },
    { flags: { a: true, b: 'x', c: { d: false } }, tags: { t: 'x' } },
  ],
  ['0 and 1 as flags', { flags: { a: 0, b: 1 } }, { flags: { a: false, b: true } }],
  [
    'a tag that is a number',
    { tags: { a: 2, b: 'x', c: { d: [1], e: 'y' } } },
    { tags: { b: 'x', c: { e: 'y' } }, unsupported: { tags: { a: 2, c: { d: [1] } } } },
  ],
  ['tags without any', { tags: {} }, { tags: {} }],
  ['tags that are a list', { tags: ['a'] }, { unsupported: { tags: ['a'] } }],

  ['meta', { meta: { a: [1, { b: null }] } }, { meta: { a: [1, { b: null }] } }],
  ['meta that is text', { meta: 'x' }, { unsupported: { meta: 'x' } }],
  ['meta that is a number', { meta: 5 }, { unsupported: { meta: 5 } }],
  [
    'meta.configuration',
    { meta: { configuration: { a: 1 }, b: 2 } },
    { data: { parameters: { a: 1 } }, meta: { b: 2 } },
  ],
  ['meta.configuration as text', { meta: { configuration: '{"a":1}' } }, { data: { parameters: { a: 1 } } }],
  [
    'meta.configuration beside parameters',
    { meta: { configuration: { a: 1 } }, data: { parameters: { b: 2 } } },
    { data: { parameters: { b: 2 } }, unsupported: { meta: { configuration: { a: 1 } } } },
  ],

  ['exception', { exception: { type: 'E', any: [1] } }, { exception: { type: 'E', any: [1] } }],
  ['an exception that is text', { exception: 'boom' }, { unsupported: { exception: 'boom' } }],
  ['selector', { selector: { key: 'a.revision' } }, { selector: { key: 'a.revision' } }],
  [
    'a selector that is no text',
    { selector: { key: 5, path: { a: 1 }, name: 'x' } },
    { selector: { name: 'x' }, unsupported: { selector: { key: 5, path: { a: 1 } } } },
  ],

  [
    'unsupported is kept and added to',
    { unsupported: { old: 1, data: { x: 1 } }, data: { y: 2 }, version: 3 },
    { unsupported: { old: 1, data: { x: 1, y: 2 }, version: 3 } },
  ],
  [
    'unsupported in the way',
    { unsupported: { data: 'old', version: 1 }, data: { y: 2 }, version: 3 },
    { unsupported: { data: 'old', version: 1, _conflicts: { 'ag.data.y': 2, 'ag.version': 3 } } },
  ],
  ['unsupported that is text', { unsupported: 'x' }, { unsupported: { _unsupported: 'x' } }],
  [
    'unknown members',
    { version: '1', hashes: [1], node: { id: 1 }, x: null },
    { unsupported: { version: '1', hashes: [1], node: { id: 1 } } },
  ],
]

describe('section 6 of the contract, sent nested', () => {
  test.each(ROWS)('%s', (_, sent, kept) => {
    expect(spanOf({ ag: sent }).attributes).toEqual({ ag: { ...SKELETON, ...kept } })
  })
})

describe('the same, sent flat', () => {
  /** Dotted keys of plain values, lists and empty objects. */
  const flat = (value: JsonObject, prefix: string): [string, unknown][] =>
    Object.entries(value).flatMap(([key, member]) =>
      typeof member === 'object' && member && !Array.isArray(member) && Object.keys(member).length > 0
        ? flat(member as JsonObject, `${prefix}.${key}`)
        : [[`${prefix}.${key}`, member]],
    )
  test.each(ROWS)('%s', (_, sent, kept) => {
    const attributes = Object.fromEntries(flat(sent, 'ag')) as JsonObject
    expect(spanOf(attributes).attributes).toEqual({ ag: { ...SKELETON, ...kept } })
  })
})

test.each([
  ['text', 'x'],
  ['a list', ['x']],
  ['a number', 5],
])('ag that is %s', (_, ag) => {
  expect(spanOf({ ag, 'ag.type.span': 'llm' }).attributes).toEqual({
    ag: { ...SKELETON, type: { span: 'llm' }, unsupported: { _invalid: ag } },
  })
})

test('a plain value in the place of a member does not displace what is there', () => {
  const attributes = { 'ag.metrics': 'fast', 'ag.metrics.unit.tokens.total': 5, 'ag.unsupported': 1, 'ag.0': 2 }
  expect(spanOf(attributes).attributes.ag).toEqual({
    ...SKELETON,
    ...metrics({ tokens: { incremental: { total: 5 } } }),
    unsupported: { metrics: 'fast', _unsupported: 1, 0: 2 },
  })
})

test('all words and keys of the schema are known', () => {
  for (const span of SPAN_TYPES) expect(spanOf({ 'ag.type.span': span })).toMatchObject({ span_type: span })
  for (const trace of TRACE_TYPES)
    expect(spanOf({ 'ag.type.trace': trace })).toMatchObject({ declared_trace_type: trace })
  expect(REFERENCE_KEYS).toHaveLength(22)
  for (const key of REFERENCE_KEYS)
    expect(spanOf({ [`ag.references.${key}.slug`]: 'a' }).references).toEqual([{ slug: 'a', attributes: { key } }])
})
