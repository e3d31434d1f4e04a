import type { JsonObject } from '@spanhouse/model'
import { type Kind, ROLES, type Scope } from './kind.ts'
import type { RevisionRow, VariantRow } from './rows/rows.ts'

/** All of these flags, set to false. */
export const falseFor = (names: readonly string[]): JsonObject => Object.fromEntries(names.map(name => [name, false]))

/**
 * The flags to store for an artifact, given those that were sent (undefined: none, null: clear all but roles) and those
 * stored. Sent flags are merged over stored ones; a kind with a role always sets its own flag and never clears it.
 */
export function artifactFlags(
  { artifactFlags: names, role }: Kind,
  sent: JsonObject | null | undefined,
  stored: JsonObject | null = null,
): JsonObject | null {
  if (names.length === 0) return null
  if (sent === undefined && role === null) return stored
  const own = role === null ? {} : { [role]: true }
  const kept = sent === null ? only(ROLES, stored) : stored
  return { ...falseFor(names), ...kept, ...only(names, sent), ...own }
}

/** The flags with these names. */
const only = (names: readonly string[], flags: JsonObject | null = null): JsonObject =>
  Object.fromEntries(Object.entries(flags ?? {}).filter(([name]) => names.includes(name)))

/** The flags shown for a variant; for a workflow, those of the artifact. */
export const variantFlags = ({ content, artifactFlags: names }: Kind, row: VariantRow): JsonObject | null =>
  content.flags ? { ...falseFor(names), ...row.artifact_flags } : row.flags

/** The flags shown for a revision; for a workflow, those derived from its data, and the roles of its artifact. */
export function revisionFlagsShown(scope: Scope, row: RevisionRow): JsonObject | null {
  const { content, artifactFlags: names } = scope.kind
  if (!content.flags) return row.flags
  const derived = row.flags ?? content.flags(row.data, row.slug, scope)
  return { ...falseFor(names), ...row.artifact_flags, ...derived }
}
