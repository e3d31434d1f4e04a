import type { JsonObject, Uuid } from '@spanhouse/model'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { WindowingBody } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { commitRevision } from '../commit.ts'
import { newScope } from '../registry.testing.ts'
import { setRevisionArchived } from '../revisions.ts'
import { createSimple } from '../simple.ts'
import { changedReferences } from './environment-content.ts'
import { listRevisions } from './environment-history.ts'

/** More than are looked into at once, and with what some of them deploy by itself more than one statement reads. */
const REVISIONS = 130
const LONG = 'x'.repeat(1024 * 1024)

onEachDatabase('the history of what an environment deploys', postgres => {
  test('has a revision wherever the deployment differs from that of the one before, on whatever page', async () => {
    const scope = (await newScope(postgres()))('environment')
    const { variant_id } = await createSimple(scope, { slug: 'live' })
    if (!variant_id) throw new Error('no variant')
    const [application, other] = [crypto.randomUUID(), crypto.randomUUID()]
    const made: { id: Uuid; version: number; deployed: number | undefined; isArchived: boolean }[] = []
    for (let n = 0; n < REVISIONS; n++) {
      const deployed = made.at(-1)?.deployed
      const next = n % 7 === 3 ? n : n % 11 === 10 ? undefined : deployed
      const isLong = n >= 40 && n < 46
      const set: JsonObject = { other: { application: { id: other, version: isLong ? LONG : `${n}` } } }
      if (next !== undefined)
        set.one = { application: { id: application }, application_revision: { id: `revision ${next}` } }
      const delta = changedReferences(set, next === undefined ? ['one'] : [])
      const { row } = await commitRevision(scope, { variant_id, delta })
      made.push({ id: row.id, version: row.version, deployed: next, isArchived: false })
      const archived = n % 13 === 5 && made[n - 2]
      if (archived) {
        await setRevisionArchived(scope, archived.id, true)
        archived.isArchived = true
      }
    }
    const expected = made
      .filter(one => !one.isArchived)
      .filter((one, at, visible) => one.deployed !== visible[at - 1]?.deployed)
      .map(({ version }) => version)
    const read = async (id: Uuid, windowing: Partial<WindowingBody>): Promise<number[]> => {
      const query = { variant_refs: [{ id: variant_id }], changed_references: [{ id }] }
      const list = await listRevisions(scope, { ...query, windowing: windowing as WindowingBody })
      const versions = (await Array.fromAsync(list.rows)).map(({ version }) => version)
      const { next } = list.windowing ?? {}
      return next ? [...versions, ...(await read(id, { ...windowing, next: next as Uuid }))] : versions
    }
    expect(expected.length).toBeGreaterThan(20)
    for (const limit of [4, 500]) {
      expect(await read(application, { limit, order: 'ascending' })).toEqual(expected)
      expect(await read(application, { limit })).toEqual(expected.toReversed())
      expect(await read(crypto.randomUUID(), { limit })).toEqual([])
    }
  })
})
