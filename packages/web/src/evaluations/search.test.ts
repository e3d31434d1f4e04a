import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '../address.ts'
import { readDashboardSearch } from '../dashboard/search.ts'
import { readPlaygroundSearch } from '../playground/search.ts'
import {
  COMPARED_MAX,
  RATE_MIN,
  REPEATS_MAX,
  readCompareSearch,
  readEvaluationsSearch,
  readJudgeSearch,
  readRunSearch,
  readStartSearch,
} from './search.ts'

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const id = fc.uuid()
const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
const ids = (max: number) => fc.array(id, { minLength: 1, maxLength: max }).map(list => list.join())
const flag = fc.constantFrom(undefined, true as const)
const name = { step_key: text, path: text }

const bin = fc.oneof(
  fc.record({ ...name, value: fc.oneof(text, fc.boolean(), fc.integer()) }),
  fc.record({ ...name, min: fc.integer(), max: fc.integer() }),
)
const run = fc.record({
  bin: optional(bin),
  failure: optional(fc.record({ step_key: text, reason: text })),
  errors: flag,
  by: optional(fc.oneof(fc.record(name), fc.record({ ...name, is_descending: fc.constant(true) }))),
  case: optional(text),
  diff: flag,
})
const compared = fc.record({
  baseline: optional(id),
  runs: optional(ids(COMPARED_MAX - 1)),
  run: optional(id),
  by: optional(fc.record(name)),
  case: optional(text),
  diff: fc.constantFrom(undefined, 'baseline' as const, 'expected' as const),
})
const start = fc.record({
  name: optional(text),
  source: fc.constantFrom(undefined, 'traces' as const),
  q: optional(text),
  rate: optional(fc.double({ min: RATE_MIN, max: 99.99, noNaN: true })),
  testset: optional(id),
  applications: optional(ids(5)),
  evaluators: optional(ids(5)),
  repeats: optional(fc.integer({ min: 2, max: REPEATS_MAX })),
})
const playground = fc.record({
  columns: optional(ids(4)),
  testset: optional(id),
  evaluators: optional(ids(3)),
  trace: optional(text),
})
const dashboard = fc.record({
  q: optional(text),
  since: fc.constantFrom(undefined, '1h', '30d'),
  from: fc.constant(undefined),
  to: fc.constant(undefined),
  tiles: optional(fc.array(text, { minLength: 1, maxLength: 12 })),
})

const restored = (search: object): Record<string, unknown> => parseSearch(stringifySearch(search))

test.each<[string, fc.Arbitrary<object>, (given: Record<string, unknown>) => object]>([
  [
    'the evaluations',
    fc.record({ list: fc.constantFrom(undefined, 'queues' as const), chosen: optional(ids(COMPARED_MAX)) }),
    readEvaluationsSearch,
  ],
  ['a new evaluation', start, readStartSearch],
  ['a run', run, readRunSearch],
  ['a comparison', compared, readCompareSearch],
  ['judging side by side', fc.record({ baseline: optional(id), run: optional(id) }), readJudgeSearch],
  ['the playground', playground, readPlaygroundSearch],
  ['the dashboard with its tiles', dashboard, readDashboardSearch],
])('the address restores the state of %s', (_name, states, read) => {
  fc.assert(
    fc.property(states, state => {
      expect(read(restored(state))).toEqual(state)
    }),
  )
})

test('whatever the address says, what is read from it is stable', () => {
  const reads = [readEvaluationsSearch, readStartSearch, readRunSearch, readCompareSearch, readDashboardSearch]
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('bin', 'failure', 'by', 'case', 'runs', 'repeats', 'rate', 'tiles', 'diff'),
        fc.jsonValue(),
      ),
      given => {
        for (const read of reads) {
          const first = read(given)
          expect(read(restored(first))).toEqual(first)
        }
      },
    ),
    { examples: [[{ repeats: { toString: {} } }]] },
  )
})
