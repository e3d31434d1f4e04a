import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeTraces } from './bytes/decode.ts'
import { toSpan } from './canonical/normalise.ts'
import { attributeKey, attributeList, exportOf, spanJson } from './exports.testing.ts'

/** Distinct values, so that each can be found again: plain ones, and some that contain others. */
const shape = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { weight: 4, arbitrary: fc.constant('leaf') },
    fc.array(tie('value'), { minLength: 1, maxLength: 3, depthIdentifier: 'value' }),
    fc.dictionary(fc.constantFrom('x', 'y.z', '0', 'id', 'total', '__proto__', 'constructor'), tie('value'), {
      minKeys: 1,
      maxKeys: 3,
      depthIdentifier: 'value',
      noNullPrototype: true,
    }),
  ),
})).value

function numbered(value: unknown, next: () => string): Json {
  if (Array.isArray(value)) return value.map(one => numbered(one, next))
  if (typeof value !== 'object') return next()
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, numbered(one, next)]))
}

const sentAttributes = fc.array(fc.tuple(attributeKey, shape), { maxLength: 8 }).map(pairs => {
  let count = 0
  const next = (): string => `value ${++count}.`
  return Object.fromEntries(pairs.map(([key, value]) => [key, numbered(value, next)])) as JsonObject
})

/** Every value with the segments of its path, lists by index. */
function* leavesOf(value: Json, path: readonly string[]): Generator<[string, Json]> {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) yield* leavesOf(one, [...path, String(index)])
  else if (isJsonObject(value)) for (const [key, one] of Object.entries(value)) yield* leavesOf(one, [...path, key])
  else yield [path.join('.'), value]
}

const storedOf = (attributes: JsonObject): JsonObject & { ag: JsonObject } => {
  const [decoded] = [...decodeTraces(exportOf(spanJson({ attributes: attributeList(attributes) })))]
  if (!decoded) return expect.fail('no span')
  return toSpan(decoded, 0).attributes
}

describe('nothing that was sent is lost', () => {
  test('attributes beside ag: each value has its path, or stands in _conflicts under its key', () => {
    const isOther = (key: string): boolean => !/^(ag|resource|scope|otlp)(\.|$)/.test(key)
    fc.assert(
      fc.property(sentAttributes, attributes => {
        const sent = Object.fromEntries(Object.entries(attributes).filter(([key]) => isOther(key)))
        const { ag, resource: _resource, scope: _scope, otlp: _otlp, ...others } = storedOf(sent)
        const { _conflicts: conflicts = {} } = (ag.unsupported ?? {}) as JsonObject
        const kept = [...leavesOf(others, []), ...leavesOf(conflicts, [])].filter(([, value]) => value !== null)
        const expected = Object.entries(sent).flatMap(([key, value]) => [...leavesOf(value, [key])])
        expect(kept.toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: 1_000 },
    )
  })

  test('attributes of ag, of conventions, and of the envelope’s names: each value is somewhere', () => {
    fc.assert(
      fc.property(sentAttributes, sent => {
        // The only name whose value is dropped intentionally.
        fc.pre(!Object.keys(sent).some(key => /^ag\.metrics\.acc(\.|$)/.test(key)))
        const stored = new Set([...leavesOf(storedOf(sent), [])].map(([, value]) => value))
        for (const [, value] of Object.entries(sent).flatMap(([key, one]) => [...leavesOf(one, [key])]))
          expect(stored).toContain(value)
      }),
      { numRuns: 1_000 },
    )
  })
})
