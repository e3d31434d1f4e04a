import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, type Postgres, sql, whileLeased, withDatabaseProblems } from '@spanhouse/postgres'

/** For how long events and deliveries are kept unless the project says otherwise. */
const EVENT_DAYS = 365
export const EVENT_DAYS_MAX = 3_650

/** Removed by one statement. */
const BATCH_ROWS = 5_000

/** For how many days a project's events and deliveries are kept. */
export const eventDays = (db: Database, project_id: Uuid): Promise<number> =>
  withDatabaseProblems(async () => {
    const project = db.selectFrom('projects').select('event_days').where('id', '=', project_id)
    return (await project.executeTakeFirst())?.event_days ?? EVENT_DAYS
  })

/** Throws a Problem `not_found` if the project does not exist. */
export async function setEventDays(db: Database, project_id: Uuid, event_days: number): Promise<void> {
  const { numUpdatedRows } = await withDatabaseProblems(() =>
    db.updateTable('projects').set({ event_days }).where('id', '=', project_id).executeTakeFirstOrThrow(),
  )
  if (numUpdatedRows === 0n) throw new Problem('not_found', 'The project does not exist.')
}

/** Removes all old events and deliveries until the signal aborts, in one process at a time. */
export const removeOldEvents = (postgres: Pick<Postgres, 'db' | 'lease'>, signal: AbortSignal): Promise<void> =>
  whileLeased(postgres, 'event-retention', async () => {
    const { db } = postgres
    for (const table of ['events', 'webhook_deliveries'] as const)
      while (!signal.aborted && (await removeOld(db, table)) === BATCH_ROWS);
    while (!signal.aborted && (await removeUnsendable(db)) === BATCH_ROWS);
  })

/** Removes some of what is queued for subscriptions that were deleted, and returns how many rows. */
async function removeUnsendable(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_queue where (subscription_id, event_id) in (
      select subscription_id, event_id from webhook_queue queued
      where not exists (select from webhook_subscriptions subscription where subscription.id = queued.subscription_id)
      limit ${BATCH_ROWS}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Removes some of the oldest rows, and returns how many. What is queued goes when it is claimed. */
async function removeOld(db: Database, table: 'events' | 'webhook_deliveries'): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where id in (
      select old.id from ${sql.table(table)} old left join projects on projects.id = old.project_id
      where old.created_at < now() - make_interval(days => coalesce(projects.event_days, ${EVENT_DAYS}))
      limit ${BATCH_ROWS}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
