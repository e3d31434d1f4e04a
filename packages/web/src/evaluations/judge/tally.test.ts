import { expect, test } from 'vitest'
import { tally } from './tally.ts'

const of = (case_id: string, ...preferences: ('baseline' | 'run' | 'neither')[]) =>
  preferences.map(preference => ({ case_id, preference }))

test('a case counts once, for what most of its repeats prefer', () => {
  expect(tally([])).toEqual({ baseline: 0, run: 0, neither: 0 })
  expect(tally([...of('a', 'run'), ...of('b', 'baseline'), ...of('c', 'run'), ...of('d', 'neither')])).toEqual({
    baseline: 1,
    run: 2,
    neither: 1,
  })
  expect(tally(of('a', 'run', 'run', 'run', 'run', 'run', 'run'))).toEqual({ baseline: 0, run: 1, neither: 0 })
  expect(tally([...of('a', 'run', 'baseline', 'baseline'), ...of('b', 'run', 'neither')])).toEqual({
    baseline: 1,
    run: 1,
    neither: 0,
  })
  expect(tally(of('a', 'run', 'baseline'))).toEqual({ baseline: 0, run: 0, neither: 1 })
})
