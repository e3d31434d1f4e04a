import { Problem, type Uuid } from '@spanhouse/model'
import {
  type Database,
  type Postgres,
  type RawBuilder,
  sql,
  whileLeased,
  withDatabaseProblems,
} from '@spanhouse/postgres'

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
    for (const remove of [removeOwn, removeOthers, removeDeliveries, removeUnsendable])
      while (!signal.aborted && (await remove(postgres.db)) === BATCH_ROWS);
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

/*
 * Each of these removes some of the oldest rows, and returns how many. They read what is old by an index: the age at
 * which a row is removed depends on its project, and compared row by row, everything was read each time. What is queued
 * goes when it is claimed.
 */

/** Of projects that say for how long events are kept. Ids are in the order of time, so the oldest come first. */
const removeOwn = (db: Database): Promise<number> =>
  removeThese(
    db,
    'events',
    sql`select old.id from projects cross join lateral (
        select e.id, e.created_at from events e where e.project_id = projects.id order by e.id limit ${BATCH_ROWS}
      ) old
      where projects.event_days is not null and old.created_at < now() - make_interval(days => projects.event_days)`,
  )

/** Of all other projects, of deleted ones and of none. */
const removeOthers = (db: Database): Promise<number> =>
  removeThese(
    db,
    'events',
    sql`select old.id from events old
      where old.created_at < now() - make_interval(days => ${EVENT_DAYS}) and not exists (
        select from projects where projects.id = old.project_id and projects.event_days is not null)`,
  )

const removeDeliveries = (db: Database): Promise<number> =>
  removeThese(
    db,
    'webhook_deliveries',
    sql`select old.id from projects cross join lateral (
        select d.id from webhook_deliveries d where d.project_id = projects.id
          and d.created_at < now() - make_interval(days => coalesce(projects.event_days, ${EVENT_DAYS}))
        order by d.created_at limit ${BATCH_ROWS}
      ) old`,
  )

async function removeThese(
  db: Database,
  table: 'events' | 'webhook_deliveries',
  ids: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where id in (${ids} limit ${BATCH_ROWS})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
