import type { JsonObject } from '@spanhouse/model'
import { expect } from 'vitest'
import { SKELETON, spanOf } from './drafts.testing.ts'

/** The `ag` of an instrumented span with these attributes, without the empty members that every span has. */
export function agOf(attributes: JsonObject): JsonObject {
  const { ag, ...others } = spanOf(attributes, { isInstrumented: true }).attributes
  const { metrics, ...members } = ag as JsonObject & { metrics: JsonObject }
  expect(Object.keys(others).length).toBeGreaterThan(0)
  const isEmpty = (value: unknown): boolean => JSON.stringify(value) === '{}'
  const measured = Object.fromEntries(Object.entries(metrics).filter(([, value]) => !isEmpty(value)))
  const kept = Object.entries({ ...members, metrics: measured }).filter(([, value]) => !isEmpty(value))
  expect(Object.keys(ag)).toEqual(expect.arrayContaining(Object.keys(SKELETON)))
  return Object.fromEntries(kept)
}

/** The object with one value at a dotted place. */
export const at = (place: string, value: unknown): JsonObject =>
  place.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as JsonObject
