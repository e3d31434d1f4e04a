import { sql } from '@spanhouse/postgres'
import { onEachDatabase, onNetworkedDatabase, sessionsWaiting } from '@spanhouse/postgres/database.testing.ts'
import { expect, test } from 'vitest'
import { commitRevision } from './commit.ts'
import { ensureRevision } from './ensure.ts'
import { deployRevision } from './environments/deploy.ts'
import { forkVariant } from './fork.ts'
import { newScope } from './registry.testing.ts'
import { setRevisionArchived } from './revisions.ts'
import { findRevision } from './rows/find.ts'
import type { VariantRow } from './rows/rows.ts'
import { createSimple, editSimple, setSimpleArchived } from './simple.ts'
import { insertVariant, setVariantArchived } from './variants.ts'

onEachDatabase('everything at once on one record', postgres => {
  test('nothing fails for another reason than what it asks for, and versions have no gaps', async () => {
    const as = await newScope(postgres())
    const evaluator = as('evaluator')
    const { id, variant_id } = await createSimple(evaluator, { slug: 'busy', data: { parameters: {} } })
    await createSimple(as('environment'), { slug: 'live' })
    const references = { variant: { id: variant_id } }
    const environment = { artifact: { slug: 'live' } }
    const changes: ((n: number) => Promise<unknown>)[] = [
      n => commitRevision(evaluator, { variant_id, data: { parameters: { n } } }),
      n => editSimple(evaluator, id, { description: `${n}` }),
      n => setSimpleArchived(evaluator, id, n % 2 === 0),
      n => setVariantArchived(evaluator, variant_id, n % 2 === 0),
      n => forkVariant(evaluator, references, { slug: `fork-${n}` }),
      () => deployRevision(evaluator, { references, environment }),
      n => ensureRevision(as('workflow'), { slug: `wanted-${n % 3}`, data: { parameters: {} } }),
    ]
    const done = await Promise.allSettled(Array.from({ length: 140 }, (_, n) => changes[n % changes.length]?.(n)))
    const failures = done.flatMap(one => (one.status === 'rejected' ? [String(one.reason.message)] : []))
    // While the variant is archived it has no revisions to copy.
    expect(failures.filter(message => !message.includes('no revisions to copy'))).toEqual([])
    const { rows } = await sql`
      select variant_id from revisions where project_id = ${evaluator.project_id}
      group by variant_id having count(*) <> max(version) + 1`.execute(postgres().db)
    expect(rows).toEqual([])
  })
})

onNetworkedDatabase('a fork', postgres => {
  test('copies what it has found, whatever is restored before it is copied', async () => {
    const { db } = postgres()
    const scope = (await newScope(postgres()))('workflow')
    const source = await createSimple(scope, { slug: 'source', data: { parameters: { is: 'the head' } } })
    const variant = { id: source.variant_id }
    const first = await findRevision(scope, { variant, revision: { version: '0' } })
    const id = first?.id as string
    await setRevisionArchived(scope, id, true)
    let forked: Promise<VariantRow> | undefined
    const taken = db.transaction().execute(async holder => {
      // The fork waits to see whether its slug is taken.
      await insertVariant({ ...scope, db: holder }, source, { slug: 'fork' })
      forked = forkVariant(scope, { variant }, { slug: 'fork' })
      await expect.poll(() => sessionsWaiting(db), { interval: 10 }).toBe(1)
      await setRevisionArchived(scope, id, false)
      throw new Error('it is not')
    })
    await expect(taken).rejects.toThrow('it is not')
    const copy = await findRevision(scope, { variant: { id: (await forked)?.id } })
    expect(copy).toMatchObject({ version: 0, data: { parameters: { is: 'the head' } } })
  })
})
