import { onNetworkedDatabase, sessionsWaiting } from '@spanhouse/postgres/database.testing.ts'
import { expect, test } from 'vitest'
import { createArtifact } from '../artifacts.ts'
import { newScope } from '../registry.testing.ts'
import { inTransaction } from '../scope.ts'
import { prepareTestcases } from './table.ts'

onNetworkedDatabase('rows of testsets', postgres => {
  test('two that store the same rows in another order wait for each other at most once', async () => {
    const { db } = postgres()
    const scope = (await newScope(postgres()))('testset')
    const { id } = await createArtifact(scope, { slug: 'shared' })
    const [first, middle, last] = [1, 2, 3].map(n => ({ data: { n } })) as [Row, Row, Row]
    const store = async (rows: readonly Row[]): Promise<void> => {
      const { write } = await prepareTestcases(id, rows)
      await inTransaction(scope, write)
    }
    const begun: Promise<void>[] = []
    const { write } = await prepareTestcases(id, [middle])
    // Both come to this row, from both ends, before either has all of them.
    const takenBack = inTransaction(scope, async inside => {
      await write(inside)
      begun.push(store([first, middle, last]), store([last, middle, first]))
      await expect.poll(() => sessionsWaiting(db), { interval: 10 }).toBe(2)
      throw new Error('taken back')
    })
    await expect(takenBack).rejects.toThrow('taken back')
    expect((await Promise.allSettled(begun)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })
})

interface Row {
  data: { n: number }
}
