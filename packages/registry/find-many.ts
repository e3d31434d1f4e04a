import { Problem, type Uuid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import { ownOf, type Pointers, pointsAt, requireConsistent, requireScoped } from './find.ts'
import { type References, versionOf } from './references.ts'
import { type RevisionRow, selectRows } from './rows.ts'
import type { Scope } from './scope.ts'

/**
 * As `findRevision` for any number of references, in two statements, in their order. References that are refused have
 * the problem in their place.
 */
export async function findRevisions(
  scope: Scope,
  wanted: readonly References[],
): Promise<(RevisionRow | Problem | undefined)[]> {
  const refusals = wanted.map(references => refusalOf(() => requireScoped(scope.kind, references)))
  const ids = await idsOf(
    scope,
    wanted.flatMap((references, n) => (refusals[n] ? [] : [{ n, references }])),
  )
  const known = [...new Set(ids.values())]
  const rows =
    known.length === 0 ? [] : await selectRows(scope, 'revision', { where: [sql`r.id = any(${known}::uuid[])`] })
  const byId = new Map(rows.map(row => [row.id, row]))
  return wanted.map((references, n) => {
    const row = byId.get(ids.get(n) ?? '')
    return refusals[n] ?? (row && (refusalOf(() => requireConsistent(scope.kind, references, row)) ?? row))
  })
}

function refusalOf(work: () => void): Problem | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** References, and their place among all that were asked for. */
interface Asked {
  n: number
  references: References
}

/** Members of references as columns of a table `t`, with their types. */
const COLUMNS = {
  artifact_id: { type: 'uuid', of: ({ artifact }: References) => artifact?.id },
  artifact_slug: { type: 'text', of: ({ artifact }: References) => artifact?.slug },
  variant_id: { type: 'uuid', of: ({ variant }: References) => variant?.id },
  variant_slug: { type: 'text', of: ({ variant }: References) => variant?.slug },
  revision_id: { type: 'uuid', of: ({ revision }: References) => revision?.id },
  revision_slug: { type: 'text', of: ({ revision }: References) => revision?.slug },
  version: {
    type: 'integer',
    of: ({ revision }: References) => (revision?.version === undefined ? undefined : versionOf(revision.version)),
  },
} as const
type Column = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Column[]
const TABLE = sql.raw(`t(n integer, ${NAMES.map(name => `${name} ${COLUMNS[name].type}`).join(', ')})`)

/** The ids that were found, by place. References with the same members are found by one query over their values. */
async function idsOf(scope: Scope, asked: readonly Asked[]): Promise<Map<number, Uuid>> {
  if (asked.length === 0) return new Map()
  const groups = Map.groupBy(asked, ({ references }) => membersOf(references).join())
  const queries = [...groups.values()].map(group => idsOfGroup(scope, group))
  const { rows } = await sql<{ n: number; id: Uuid | null }>`${sql.join(queries, sql` union all `)}`.execute(scope.db)
  return new Map(rows.flatMap(({ n, id }) => (id === null ? [] : [[n, id] as const])))
}

const membersOf = (references: References): Column[] => NAMES.filter(name => COLUMNS[name].of(references) !== undefined)

function idsOfGroup(scope: Scope, group: readonly Asked[]): RawBuilder<unknown> {
  const values = group.map(({ n, references }) => ({ n, ...valuesOf(references) }))
  const { where, tail = sql`` } = pointsAt(scope, columnsOf(membersOf(group[0]?.references ?? {})))
  return sql`select t.n, (select r.id from revisions r where ${ownOf('r', scope)} and ${where} ${tail}) as id
    from json_to_recordset(${JSON.stringify(values)}::json) as ${TABLE}`
}

const valuesOf = (references: References): Record<string, unknown> =>
  Object.fromEntries(membersOf(references).map(name => [name, COLUMNS[name].of(references)]))

/** Pointers whose values stand in the columns of `t`. */
function columnsOf(members: readonly Column[]): Pointers {
  const at = (name: Column): unknown => (members.includes(name) ? sql.ref(`t.${name}`) : undefined)
  return {
    artifact: { id: at('artifact_id'), slug: at('artifact_slug') },
    variant: { id: at('variant_id'), slug: at('variant_slug') },
    revision: { id: at('revision_id'), slug: at('revision_slug'), version: at('version') },
  }
}
