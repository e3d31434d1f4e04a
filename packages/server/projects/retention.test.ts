import { newScope } from '@spanhouse/evaluation/scope.testing.ts'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { Engine, Statement } from '@spanhouse/span-store'
import { expect, test } from 'vitest'
import { projectRetention, setProjectRetention } from './retention.ts'

onEachDatabase('retention', postgres => {
  test('of two changes at once the later one is what stored and new spans have', async () => {
    const { project_id } = await newScope(postgres())
    const written: Record<string, unknown>[] = []
    let later: Promise<void> | undefined
    const engine = {
      rows: async () => [{ from: 0, to: 1 }],
      command: async ({ text, params }: Statement) => {
        const isOfStored = text.trim().startsWith('UPDATE spans')
        // The first change is held up before its statement, until another one is complete.
        if (isOfStored && !later) {
          later = setProjectRetention(stores, project_id, null)
          await later
        }
        if (isOfStored || text.includes('project_retention')) written.push(params)
      },
    } as unknown as Engine
    const stores = { postgres: postgres(), engine }
    await setProjectRetention(stores, project_id, 30)
    expect(written.slice(-2)).toMatchObject([{ days: 0 }, { seconds: 0 }])
    expect(await projectRetention(stores, project_id)).toBe(null)
  })
})
