import { integerToJson, type Json } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { spanOf } from '../conventions/drafts.testing.ts'
import { decodeMarkers } from './markers.ts'

describe('decodeMarkers', () => {
  test.each<[Json, Json]>([
    ['@ag.type=json:{"a":[1]}', { a: [1] }],
    ['@ag.type=json:5', 5],
    ['@ag.type=json:null', null],
    ['@ag.type=json:"text"', 'text'],
    ['@ag.type=json:9007199254740993', integerToJson(9007199254740993n)],
    ['@ag.type=none:', null],
    ['@ag.type=none:x', '@ag.type=none:x'],
    ['@ag.type=json:', '@ag.type=json:'],
    ['@ag.type=json:{"a":', '@ag.type=json:{"a":'],
    ['@ag.type=json:{"a":[1e400]}', '@ag.type=json:{"a":[1e400]}'],
    ['@ag.type=yaml:a', '@ag.type=yaml:a'],
    ['plain', 'plain'],
    [
      ['@ag.type=none:', { a: '@ag.type=json:[1]' }],
      [null, { a: [1] }],
    ],
    ['@ag.type=json:"@ag.type=none:"', '@ag.type=none:'],
    [`@ag.type=json:${'['.repeat(101)}${']'.repeat(101)}`, `@ag.type=json:${'['.repeat(101)}${']'.repeat(101)}`],
    ['@ag.type=json:"\\ud83d\\ude00 \\ud83d \\\\ud83d"', '😀 \ufffd \\ud83d'],
  ])('%j', (sent, decoded) => {
    expect(decodeMarkers(structuredClone(sent))).toEqual(decoded)
  })
})

describe('in a span', () => {
  const MARKED = '@ag.type=json:{"a":1}'

  test.each([
    ['ag.data.inputs', { data: { inputs: { a: 1 } } }],
    ['ag.data.outputs', { data: { outputs: { a: 1 } } }],
    ['ag.metrics.tokens.incremental', { metrics: { tokens: { incremental: { a: 1 } } } }],
    ['ag.flags', { flags: { a: true } }],
    ['ag.meta', { meta: { a: 1 } }],
    ['ag.meta.x', { meta: { x: { a: 1 } } }],
    ['ag.exception', { exception: { a: 1 } }],
    ['ag.tags', { tags: { a: true } }],
    ['ag.other', { unsupported: { other: { a: 1 } } }],
  ])('under %s', (key, kept) => {
    expect(spanOf({ [key]: MARKED }).attributes.ag).toMatchObject(kept)
  })

  test('nested attributes too', () => {
    expect(spanOf({ ag: { data: { inputs: { x: MARKED } } } }).attributes.ag.data).toEqual({ inputs: { x: { a: 1 } } })
  })

  test('not outside ag', () => {
    expect(spanOf({ 'vendor.value': MARKED }).attributes.vendor).toEqual({ value: MARKED })
  })

  test('a decoded object is merged with dotted keys', () => {
    const attributes = { 'ag.data.inputs.b': 2, 'ag.data.inputs': MARKED }
    expect(spanOf(attributes).attributes.ag.data).toEqual({ inputs: { a: 1, b: 2 } })
  })

  test('a broken marker costs its attribute only', () => {
    const { ag } = spanOf({ 'ag.data.inputs': '@ag.type=json:{', 'ag.type.span': 'llm' }).attributes
    expect(ag).toMatchObject({ type: { span: 'llm' }, unsupported: { data: { inputs: '@ag.type=json:{' } } })
  })
})
