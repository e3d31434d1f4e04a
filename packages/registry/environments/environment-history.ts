import { invalid } from '@spanhouse/model'
import { type RawBuilder, type RowList, sql } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { identifies, type Reference } from '../references.ts'
import { anyOf, type ListQuery, listRows } from '../rows/list.ts'
import type { RevisionRow } from '../rows/rows.ts'

/** The names under which entries refer to the deployed artifact. */
const ARTIFACT_NAMES = ['application', 'workflow', 'evaluator'] as const

export interface RevisionListQuery extends ListQuery {
  /** Environments only: revisions in which the deployment of one of these differs from the head before them. */
  changed_references?: Reference[]
}

/** As `listRows` for revisions, plus the condition that only environments have. */
export function listRevisions(scope: Scope, query: RevisionListQuery): Promise<RowList<RevisionRow>> {
  const references = query.changed_references ?? []
  if (references.length === 0) return listRows(scope, 'revision', query)
  const isAmong = isOfOne(scope, references)
  return listRows(scope, 'revision', query, [sql`${deployed('r', isAmong)} is distinct from ${before(isAmong)}`])
}

/**
 * The same of the revision before `r`. Archived ones count only where there are no others, as for events of commits;
 * versions have no gaps.
 */
const before = (isAmong: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select ${deployed('p', isAmong)} from revisions p
  where p.project_id = r.project_id and p.variant_id = r.variant_id and p.version = coalesce((
    select l.version from revisions l
    where l.project_id = r.project_id and l.variant_id = r.variant_id and l.version < r.version and l.deleted_at is null
    order by l.version desc limit 1), r.version - 1))`

/** Key → revision of everything among these that a revision of an environment deploys; null for nothing. */
function deployed(table: 'r' | 'p', isAmong: RawBuilder<unknown>): RawBuilder<unknown> {
  const revisions = ARTIFACT_NAMES.map(name => sql`e.value -> ${`${name}_revision`} -> 'id'`)
  return sql`(
    select jsonb_object_agg(e.key, coalesce(${sql.join(revisions)}, 'null'))
    from jsonb_each(coalesce(${sql.ref(`${table}.data`)} -> 'references', '{}')::jsonb) e
    where ${isAmong})`
}

/**
 * Whether an entry `e` refers to one of these artifacts. Deployments write ids only, so a slug also stands for the id
 * of the workflow that has it. However many references there are, an entry is looked up in three lists.
 */
function isOfOne({ project_id }: Scope, references: readonly Reference[]): RawBuilder<unknown> {
  if (!references.every(identifies)) throw invalid('references: each reference must have an id or a slug')
  const ids = references.flatMap(({ id }) => id ?? [])
  const slugs = references.flatMap(({ id, slug }) => (id === undefined && slug !== undefined ? [slug] : []))
  const called = sql`select a.id::text from artifacts a
    where a.project_id = ${project_id} and a.family = 'workflow' and ${anyOf(sql.ref('a.slug'), slugs)}`
  const options = ARTIFACT_NAMES.flatMap(name => {
    const member = (one: string) => sql`(e.value -> ${name} ->> ${one})`
    return [anyOf(member('id'), ids), sql`${member('id')} in (${called})`, anyOf(member('slug'), slugs)]
  })
  return sql`(${sql.join(options, sql` or `)})`
}
