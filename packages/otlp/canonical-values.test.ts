import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { SKELETON, spanOf } from './conventions/drafts.testing.ts'

describe('what loses its place', () => {
  test('is parked under the key of its attribute', () => {
    const attributes = { 'vendor.a': 1, 'vendor.a.b': 2, 'ag.data.inputs': '{"x":1}', 'ag.data.inputs.y': 2 }
    expect(spanOf(attributes).attributes).toEqual({
      ag: {
        ...SKELETON,
        data: { inputs: { x: 1 } },
        unsupported: { _conflicts: { 'vendor.a.b': 2, 'ag.data.inputs.y': 2 } },
      },
      vendor: { a: 1 },
    })
  })

  test('does not displace what the client has parked itself', () => {
    const ag = { unsupported: { _conflicts: { 'a.b': 1 } } }
    expect(spanOf({ ag, a: 5, 'a.b': 2 }).attributes.ag.unsupported).toEqual({
      _conflicts: { 'a.b': 1, 'a.b (2)': 2 },
    })
  })

  test('a source can park what it has no place for', () => {
    const span = spanOf({ 'ag.version': 1 }, { unsupported: { links: [{ trace_id: 'x' }] } })
    expect(span.attributes.ag.unsupported).toEqual({ version: 1, links: [{ trace_id: 'x' }] })
  })
})

describe('values of every kind', () => {
  const nest = (levels: number): JsonObject => (levels === 0 ? {} : { a: nest(levels - 1) })

  test('nested 1,000 deep: what is below 100 levels becomes text', () => {
    const { attributes } = spanOf({ deep: nest(1_000), 'ag.data.inputs': nest(1_000) })
    const text = JSON.stringify(attributes)
    expect(text).toContain('\\"a\\":{\\"a\\"')
    let level = attributes.deep
    let count = 0
    for (; typeof level === 'object'; count++) level = (level as JsonObject).a as JsonObject
    expect([count, level]).toEqual([100, JSON.stringify(nest(900))])
  })

  test('NUL stays and survives JSON', () => {
    const { attributes } = spanOf({ 'a\u0000b': 'c\u0000d', 'ag.data.inputs': '{"x":"y\\u0000z"}' })
    expect(attributes).toMatchObject({ 'a\u0000b': 'c\u0000d', ag: { data: { inputs: { x: 'y\u0000z' } } } })
    expect(JSON.parse(JSON.stringify(attributes))).toEqual(attributes)
  })

  test('integers past 2^53 stay exact', () => {
    const attributes = JSON.parse('{"ag.data.inputs":"{\\"n\\":9223372036854775807}"}')
    expect(JSON.stringify(spanOf(attributes).attributes.ag.data)).toBe('{"inputs":{"n":9223372036854775807}}')
  })

  test('special names are names like any other', () => {
    const attributes = JSON.parse(
      '{"__proto__":{"a":1},"ag.tags.__proto__":"x","ag.flags.constructor":true,"ag.__proto__.b":1,"ag.references.constructor.slug":"x","toString":"y"}',
    )
    const span = spanOf(attributes)
    expect(JSON.parse(JSON.stringify(span.attributes))).toEqual(
      JSON.parse(
        JSON.stringify({
          ag: {
            ...SKELETON,
            flags: { constructor: true },
            tags: 'TAGS',
            unsupported: { proto: 1, references: { constructor: { slug: 'x' } } },
          },
          toString: 'y',
        })
          .replace('"TAGS"', '{"__proto__":"x"}')
          .replace('"proto":1', '"__proto__":{"b":1}')
          .replace('"toString"', '"__proto__":{"a":1},"toString"'),
      ),
    )
    expect(({} as JsonObject).a).toBeUndefined()
    expect(({} as JsonObject).b).toBeUndefined()
  })
})
