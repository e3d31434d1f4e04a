import type { Scope } from '../kind.ts'
import type { RevisionRow } from '../rows/rows.ts'
import { embedLoader } from './load.ts'
import { type EmbedLimits, type ResolutionInfo, resolveEmbeds } from './resolve.ts'

/** The revision with every embed in its data replaced, and what was replaced. Throws as {@link resolveEmbeds}. */
export async function resolveRevision(
  scope: Scope,
  row: RevisionRow,
  limits: EmbedLimits = {},
): Promise<{ row: RevisionRow; info: ResolutionInfo }> {
  const { data, info } = await resolveEmbeds(row.data ?? {}, embedLoader(scope), { ...limits, self: row.id })
  return { row: { ...row, data: row.data && data }, info }
}
