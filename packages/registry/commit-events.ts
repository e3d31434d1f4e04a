import { domainOf, type NewEvent, recordEvents } from '@spanhouse/events'
import { isJsonObject, type JsonObject } from '@spanhouse/model'
import { isSameJson } from './delta/equality.ts'
import type { Kind, Scope } from './kind.ts'
import { type RevisionPlace, referencesTo } from './row-json.ts'
import { findRow, type RevisionRow, type VariantRow } from './rows/rows.ts'

/** The references of events: under the family's names, whatever the kind. */
export const eventReferences = ({ storedAs }: Kind, row: RevisionPlace): JsonObject => referencesTo(storedAs, row)

/** A stored revision whose commit is to be recorded. */
type Committed = Pick<RevisionRow, 'id' | 'slug' | 'version' | 'message'> & {
  /** Where it is absent, it is read if the event needs it. */
  data?: JsonObject | null
}

/**
 * Records the commits of revisions of a variant, ascending by version, in the transaction that has stored them. Before
 * the first of them `head` was the head of the variant, if it had any.
 */
export async function recordCommits(
  scope: Scope,
  variant: VariantRow,
  rows: readonly Committed[],
  head?: Pick<RevisionRow, 'data'>,
): Promise<void> {
  if (scope.kind.isEnvironment) return recordDeployments(scope, variant, rows, head)
  await recordEvents(
    scope.db,
    rows.map(row => eventOf(scope, variant, row)),
  )
}

function eventOf({ project_id, user_id, kind }: Scope, variant: VariantRow, row: Committed, more = {}): NewEvent {
  const { id: variant_id, slug: variant_slug, artifact_id, artifact_slug } = variant
  const references = eventReferences(kind, { ...row, variant_id, variant_slug, artifact_id, artifact_slug })
  const attributes = { user_id, references, ...(row.message !== null && { message: row.message }), ...more }
  return { project_id, type: `${domainOf(kind.storedAs)}.revisions.committed`, attributes }
}

/**
 * The same for an environment, with `state` and `diff` of each revision. One at a time, because each may be long, and a
 * fork records all that it copies.
 */
async function recordDeployments(
  scope: Scope,
  variant: VariantRow,
  rows: readonly Committed[],
  head: Pick<RevisionRow, 'data'> | undefined,
): Promise<void> {
  // What is read is not kept, so that it is not counted either.
  const one = { ...scope, holder: undefined }
  let before = entriesOf(head?.data)
  for (const row of rows) {
    const data = row.data === undefined ? (await findRow(one, 'revision', row.id))?.data : row.data
    const after = entriesOf(data)
    const diff = diffOf(before, after)
    await recordEvents(scope.db, [eventOf(scope, variant, row, { state: data ?? {}, diff })])
    before = after
  }
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
