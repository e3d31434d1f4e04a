import { invalid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { identifies, type Reference } from '../references.ts'
import { type ListQuery, listRows } from '../rows/list.ts'
import type { RowList } from '../rows/row-list.ts'
import type { RevisionRow } from '../rows/rows.ts'

/** The names under which entries refer to the deployed artifact. */
const ARTIFACT_NAMES = ['application', 'workflow', 'evaluator'] as const

export interface RevisionListQuery extends ListQuery {
  /** Environments only: revisions in which the deployment of one of these differs from the previous revision. */
  changed_references?: Reference[]
}

/** As `listRows` for revisions, plus the condition that only environments have. */
export function listRevisions(scope: Scope, query: RevisionListQuery): Promise<RowList<RevisionRow>> {
  const references = query.changed_references ?? []
  if (references.length === 0) return listRows(scope, 'revision', query)
  const changes = references.map(reference => sql`${deployed('r', reference)} is distinct from ${before(reference)}`)
  return listRows(scope, 'revision', query, [sql`(${sql.join(changes, sql` or `)})`])
}

const before = (reference: Reference): RawBuilder<unknown> => sql`(
  select ${deployed('p', reference)} from revisions p
  where p.project_id = r.project_id and p.variant_id = r.variant_id and p.version < r.version
  order by p.version desc limit 1)`

/** Key → revision of everything that a revision of an environment deploys of an artifact; null for nothing. */
function deployed(table: 'r' | 'p', reference: Reference): RawBuilder<unknown> {
  if (!identifies(reference)) throw invalid('references: each reference must have an id or a slug')
  const { id, slug } = reference
  const member = id === undefined ? 'slug' : 'id'
  const isOf = ARTIFACT_NAMES.map(name => sql`e.value -> ${name} ->> ${member} = ${id ?? slug}`)
  const revisions = ARTIFACT_NAMES.map(name => sql`e.value -> ${`${name}_revision`} -> 'id'`)
  return sql`(
    select jsonb_object_agg(e.key, coalesce(${sql.join(revisions)}, 'null'))
    from jsonb_each(coalesce(${sql.ref(`${table}.data`)} -> 'references', '{}')::jsonb) e
    where ${sql.join(isOf, sql` or `)})`
}
