import { expect, test } from 'vitest'
import { formatCaseChange, formatChange } from './measures.ts'

const success = { path: 'attributes.ag.data.outputs.success', test: 'sign' } as const
const errors = { path: 'attributes.ag.metrics.errors.cumulative', test: 'sign' } as const
const score = { path: 'attributes.ag.data.outputs.score', test: 'permutation' } as const

test('differences of shares are percentage points', () => {
  expect(formatChange(success, -0.0833)).toBe('−8.33 points')
  expect(formatChange(score, 0.25)).toBe('+0.25')
  expect(formatChange(errors, 1)).toBe('+1')
})

test('pass and fail are shown on both sides, also where nothing changed', () => {
  expect(formatCaseChange(success, { baseline: 1, candidate: 1, difference: 0 })).toBe('✓ → ✓')
  expect(formatCaseChange(success, { baseline: 0, candidate: 0, difference: 0 })).toBe('✗ → ✗')
  expect(formatCaseChange(success, { baseline: 1, candidate: 0, difference: -1 })).toBe('✓ → ✗')
  expect(formatCaseChange(score, { baseline: 1, candidate: 0, difference: -1 })).toBe('−1')
  expect(formatCaseChange(errors, { baseline: 0, candidate: 1, difference: 1 })).toBe('+1')
})
