import type { ProjectPrincipal } from '@spanhouse/access'
import { domainOf, type RevisionRead } from '@spanhouse/events'
import type { Json, JsonObject } from '@spanhouse/model'
import type { RowList } from '@spanhouse/postgres'
import { eventReferences, type RevisionRow, type TestcaseRow } from '@spanhouse/registry'
import type { KindRoutes, Registry } from './endpoint.ts'

/** Entities that one event names; `count` is not limited. */
const NAMED_MAX = 1_000

/** Notes that a caller reads a revision. Finding nothing is not an event. */
export function noteRead(
  { registry, kind }: KindRoutes,
  principal: ProjectPrincipal,
  { verb, row }: { verb: RevisionRead; row: RevisionRow | undefined },
): void {
  if (row) note(registry, principal, typeOf(kind, verb), { count: 1, references: eventReferences(kind, row) })
}

/** The list, which notes that a caller reads it when all of it has been read. */
export const notedList = (
  { registry, kind }: KindRoutes,
  principal: ProjectPrincipal,
  { verb, list }: { verb: RevisionRead; list: RowList<RevisionRow> },
): RowList<RevisionRow> =>
  whenRead(list, {
    told: row => eventReferences(kind, row),
    done: references => note(registry, principal, typeOf(kind, verb), { count: list.count, references }),
  })

/** The list of testcases, which notes that a caller reads it when all of it has been read. */
export const notedTestcases = (
  registry: Registry,
  principal: ProjectPrincipal,
  { verb, list }: { verb: 'fetched' | 'queried'; list: RowList<TestcaseRow> },
): RowList<TestcaseRow> =>
  whenRead(list, {
    told: row => row.id,
    done: testcase_ids => note(registry, principal, `testcases.${verb}`, { count: list.count, testcase_ids }),
  })

export const noteTestcase = (registry: Registry, principal: ProjectPrincipal, row: TestcaseRow | undefined): void => {
  if (row) note(registry, principal, 'testcases.fetched', { count: 1, testcase_id: row.id })
}

/** Notes that a caller reads traces. */
export function noteTraces(
  registry: Registry,
  principal: ProjectPrincipal,
  { verb, ids }: { verb: 'fetched' | 'queried'; ids: readonly string[] },
): void {
  if (ids.length === 0) return
  const named: JsonObject =
    ids.length === 1 && verb === 'fetched' ? { trace_id: ids[0] as string } : { trace_ids: ids.slice(0, NAMED_MAX) }
  note(registry, principal, `traces.${verb}`, { count: ids.length, ...named })
}

const typeOf = <V extends RevisionRead>({ storedAs }: KindRoutes['kind'], verb: V) =>
  `${domainOf(storedAs)}.revisions.${verb}` as const

function note(
  { readEvents }: Registry,
  { project_id, user_id }: ProjectPrincipal,
  type: Parameters<NonNullable<Registry['readEvents']>['note']>[0]['type'],
  attributes: JsonObject,
): void {
  readEvents?.note({ project_id, type, attributes: { user_id, ...attributes } })
}

/** Keeps what the event says of the rows, not the rows themselves, which may be large. */
function whenRead<Row, T extends Json>(
  list: RowList<Row>,
  { told, done }: { told(row: Row): T; done(first: T[]): void },
): RowList<Row> {
  async function* rows(): AsyncGenerator<Row> {
    const first: T[] = []
    for await (const row of list.rows) {
      if (first.length < NAMED_MAX) first.push(told(row))
      yield row
    }
    if (list.count > 0) done(first)
  }
  return { ...list, rows: rows() }
}
