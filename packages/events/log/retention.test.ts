import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { expect, test } from 'vitest'
import { makeAccount, principalOf } from '../../access/account.testing.ts'
import { removeOldEvents, setEventDays } from './retention.ts'

onEachDatabase('the retention of events', postgres => {
  const { signal } = new AbortController()

  /** Records an event of each age, and returns the ages of those that are left. */
  async function agedEvents(project_id: string | null, daysOld: readonly number[]): Promise<() => Promise<number[]>> {
    const { db } = postgres()
    for (const days of daysOld)
      await sql`insert into events (id, project_id, type, attributes, created_at) values
        (${newId()}, ${project_id}, 'traces.deleted', '{}', now() - make_interval(days => ${days}))`.execute(db)
    return async () => {
      const { rows } = await sql<{ days: number }>`
        select round(extract(epoch from now() - created_at) / 86400)::int as days from events
        where project_id is not distinct from ${project_id} and type = 'traces.deleted' order by days`.execute(db)
      return rows.map(({ days }) => days)
    }
  }

  test('events are removed after as many days as their project says, otherwise after a year', async () => {
    const { db } = postgres()
    const one = await principalOf(db, await makeAccount(db))
    const other = await principalOf(db, await makeAccount(db))
    await setEventDays(db, one.project_id, 10)
    const left = await agedEvents(one.project_id, [9, 11, 300])
    const leftOfOther = await agedEvents(other.project_id, [11, 364, 366])
    await removeOldEvents(postgres(), signal)
    expect([await left(), await leftOfOther()]).toEqual([[9], [11, 364]])
  })

  test('old events of deleted projects and of none are removed', async () => {
    const gone = newId()
    const left = await agedEvents(gone, [364, 366])
    const leftOfNone = await agedEvents(null, [364, 366])
    await removeOldEvents(postgres(), signal)
    expect([await left(), await leftOfNone()]).toEqual([[364], [364]])
  })

  test('deliveries are removed after as many days as events', async () => {
    const { db } = postgres()
    const projects = [await principalOf(db, await makeAccount(db)), await principalOf(db, await makeAccount(db))]
    await setEventDays(db, projects[0]?.project_id as string, 10)
    for (const { project_id } of projects) {
      const subscription = newId()
      await sql`insert into webhook_subscriptions (project_id, id, data, is_secret_given) values
        (${project_id}, ${subscription}, '{}', false)`.execute(db)
      for (const days of [9, 11, 366])
        await sql`insert into webhook_deliveries (project_id, id, subscription_id, event_id, status, created_at) values
          (${project_id}, ${newId()}, ${subscription}, ${newId()}, '{}', now() - make_interval(days => ${days}))`.execute(
          db,
        )
    }
    await removeOldEvents(postgres(), signal)
    const { rows } = await sql<{ project_id: string; days: number }>`
      select project_id, round(extract(epoch from now() - created_at) / 86400)::int as days from webhook_deliveries
      order by days`.execute(db)
    expect(
      projects.map(({ project_id }) => rows.filter(row => row.project_id === project_id).map(row => row.days)),
    ).toEqual([[9], [9, 11]])
  })

  test('nothing is removed while another process does so', async () => {
    const { db, lease } = postgres()
    const { project_id } = await principalOf(db, await makeAccount(db))
    const left = await agedEvents(project_id, [400])
    const held = await lease('event-retention')
    await removeOldEvents(postgres(), signal)
    expect(await left()).toEqual([400])
    await held?.release()
    await removeOldEvents(postgres(), signal)
    expect(await left()).toEqual([])
  })

  test('what is queued for deleted subscriptions is removed', async () => {
    const { db } = postgres()
    await sql`insert into webhook_queue (subscription_id, event_id) values (${newId()}, ${newId()})`.execute(db)
    await removeOldEvents(postgres(), signal)
    expect(await db.selectFrom('webhook_queue').selectAll().execute()).toEqual([])
  })
})
