import { expect, test } from 'vitest'
import { networkedAvailable } from '../sets/networked.ts'
import { chaosEvaluations } from './chaos/evaluations.ts'

const set = networkedAvailable ? 'networked' : 'embedded'

test('a run whose workers, writers and stores are killed has every cell and every trace once', async () => {
  const { status, faults, killsDuringRun } = await chaosEvaluations({ set, scenarios: 400, kills: 4, seed: 3 })
  expect(faults).toEqual([])
  expect(status).toBe('success')
  expect(killsDuringRun).toBeGreaterThan(0)
}, 420_000)
