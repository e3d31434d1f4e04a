import type { JsonObject } from '@spanhouse/model'
import type { Kind, Scope } from './kind.ts'
import type { RevisionRow, VariantRow } from './rows/rows.ts'

/** Every one of these flags, none of them set. */
export const falseFor = (names: readonly string[]): JsonObject => Object.fromEntries(names.map(name => [name, false]))

/**
 * The flags an artifact is stored with, given those that were sent (undefined: none, null: to be cleared) and those it
 * has. What is sent is merged over what is there; a kind with a role always sets its own and never takes it away.
 */
export function artifactFlags(
  { artifactFlags: names, role }: Kind,
  sent: JsonObject | null | undefined,
  stored: JsonObject | null = null,
): JsonObject | null {
  if (names.length === 0) return null
  if (sent === undefined && role === null) return stored
  const own = role === null ? {} : { [role]: true }
  if (sent === null) return role === null ? null : { ...falseFor(names), ...own }
  const known = Object.fromEntries(Object.entries(sent ?? {}).filter(([name]) => names.includes(name)))
  return { ...falseFor(names), ...stored, ...known, ...own }
}

/** The flags that a variant is shown with: a workflow's are the artifact's. */
export const variantFlags = ({ content, artifactFlags: names }: Kind, row: VariantRow): JsonObject | null =>
  content.flags ? { ...falseFor(names), ...row.artifact_flags } : row.flags

/** The flags that a revision is shown with: a workflow's follow from its data, and the roles from its artifact. */
export function revisionFlagsShown(scope: Scope, row: RevisionRow): JsonObject | null {
  const { content, artifactFlags: names } = scope.kind
  if (!content.flags) return row.flags
  const derived = row.flags ?? content.flags(row.data, row.slug, scope)
  return { ...falseFor(names), ...row.artifact_flags, ...derived }
}
