import fc from 'fast-check'
import { inject, test } from 'vitest'
import { type Answer, call, newProject, type TestProject } from '../harness.ts'
import { sampledRuns } from '../sets/sample.ts'
import { carryOut, chosen } from './registry-model/operations.ts'
import { World } from './registry-model/world.ts'

/**
 * Random histories of a project's registry: every answer is compared with a model of what the interface says.
 * `MODEL_RUNS=500` tries so many instead of a few. A failure shows its seed, and `MODEL_SEED` repeats it.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? sampledRuns(8))
const SEED = process.env.MODEL_SEED === undefined ? {} : { seed: Number(process.env.MODEL_SEED) }
/** A history takes about two seconds. */
const TIMEOUT_MS = 60_000 + RUNS * 20_000

const { apiUrl } = inject('target')

async function clientOf({ apiKey }: TestProject) {
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(apiUrl, method, `/api${path}`, `ApiKey ${apiKey}`, body)
  const { body } = await send('GET', '/profile')
  return { send, user: body.id as string }
}

test('every answer is the one that the model has', { timeout: TIMEOUT_MS }, async () => {
  const histories = fc.array(chosen, { minLength: 40, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(histories, async history => {
      const { send, user } = await clientOf(await newProject())
      const world = await World.of(send, user)
      for (const one of history) await carryOut(world, one)
      await world.compareAll()
    }),
    { numRuns: RUNS, ...SEED, interruptAfterTimeLimit: TIMEOUT_MS - 30_000, markInterruptAsFailure: true },
  )
})
