import { expect, test } from 'vitest'
import { chaos } from './chaos.ts'

test('one process that is killed and stopped again and again has every accepted span once, with right totals', async () => {
  const { faults, accepted } = await chaos({ set: 'embedded', seconds: 12, seed: 5 })
  expect(faults).toEqual([])
  expect(accepted).toBeGreaterThan(50)
})
