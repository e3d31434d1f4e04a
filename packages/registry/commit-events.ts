import { domainOf, type NewEvent, recordEvents } from '@spanhouse/events'
import { isJsonObject, type JsonObject, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { isSameJson } from './delta/equality.ts'
import type { Kind, Scope } from './kind.ts'
import { HEAD_FIRST } from './rows/find.ts'
import type { RevisionRow, VariantRow } from './rows/rows.ts'

/** What identifies a revision and its parents. */
export type RevisionPlace = Pick<
  RevisionRow,
  'id' | 'slug' | 'version' | 'variant_id' | 'variant_slug' | 'artifact_id' | 'artifact_slug'
>

/** The references of events: under the family's names, whatever the kind. */
export const eventReferences = ({ storedAs }: Kind, row: RevisionPlace): JsonObject => ({
  [storedAs]: { id: row.artifact_id, slug: row.artifact_slug },
  [`${storedAs}_variant`]: { id: row.variant_id, slug: row.variant_slug },
  [`${storedAs}_revision`]: { id: row.id, slug: row.slug, version: String(row.version) },
})

/** A stored revision whose commit is to be recorded. */
type Committed = Pick<RevisionRow, 'id' | 'slug' | 'version' | 'message'>

/** Records the commits of revisions of a variant, ascending by version, in the transaction that has stored them. */
export async function recordCommits(scope: Scope, variant: VariantRow, rows: readonly Committed[]): Promise<void> {
  const { db, project_id, user_id, kind } = scope
  const changes = kind.isEnvironment ? await deploymentsOf(scope, variant, rows) : []
  const { id: variant_id, slug: variant_slug, artifact_id, artifact_slug } = variant
  const events = rows.map((row, at): NewEvent => {
    const references = eventReferences(kind, { ...row, variant_id, variant_slug, artifact_id, artifact_slug })
    const attributes = { user_id, references, ...(row.message !== null && { message: row.message }), ...changes[at] }
    return { project_id, type: `${domainOf(kind.storedAs)}.revisions.committed`, attributes }
  })
  await recordEvents(db, events)
}

/** `state` and `diff` of each revision of an environment: the first differs from the head before it. */
async function deploymentsOf(
  { db, project_id }: Scope,
  variant: VariantRow,
  rows: readonly Committed[],
): Promise<JsonObject[]> {
  const ids = rows.map(({ id }) => id)
  const isNewOrBefore = sql`(r.id = any(${ids}::uuid[]) or r.version < ${rows[0]?.version ?? 0})`
  const { rows: read } = await sql<{ id: Uuid; data: JsonObject | null }>`
    select r.id, r.data from revisions r
    where r.project_id = ${project_id} and r.variant_id = ${variant.id} and ${isNewOrBefore}
    ${HEAD_FIRST} limit ${rows.length + 1}`.execute(db)
  const data = new Map(read.map(row => [row.id, row.data]))
  let before = entriesOf(read.find(row => !ids.includes(row.id))?.data)
  return rows.map(({ id }) => {
    const state = data.get(id) ?? {}
    const after = entriesOf(state)
    const diff = diffOf(before, after)
    before = after
    return { state, diff }
  })
}

const entriesOf = (data: JsonObject | null | undefined): JsonObject =>
  isJsonObject(data?.references) ? data.references : {}

function diffOf(before: JsonObject, after: JsonObject): JsonObject {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const created = keys.filter(key => !Object.hasOwn(before, key))
  const deleted = keys.filter(key => !Object.hasOwn(after, key))
  const updated = keys.filter(
    key => Object.hasOwn(before, key) && Object.hasOwn(after, key) && !isSameJson(before[key], after[key]),
  )
  return {
    created: Object.fromEntries(created.map(key => [key, { new: after[key] }])),
    updated: Object.fromEntries(updated.map(key => [key, { old: before[key], new: after[key] }])),
    deleted: Object.fromEntries(deleted.map(key => [key, { old: before[key] }])),
  } as JsonObject
}
