import { type Configuration, changesBetween, configurationOf, type Revision } from '../api/registry/registry.ts'
import { revisionIdOf } from './search.ts'

/** A variant in the playground: a committed revision, or a draft that began with it. */
export interface Column {
  key: string
  /** How it is named on the page: `v3`, and `v3 (2)` when there is another one. */
  name: string
  revision: Revision
  configuration: Configuration
  isDraft: boolean
}

/** Changed configurations by column. */
export type Drafts = Readonly<Record<string, Configuration>>

/** The columns of an address, or one with the newest revision. Revisions that no longer exist are left out. */
export function columnsOf(keys: readonly string[], revisions: readonly Revision[], drafts: Drafts): Column[] {
  const known = keys.filter(key => revisions.some(({ id }) => id === revisionIdOf(key)))
  const shown = known.length > 0 ? known : revisions.slice(0, 1).map(({ id }) => id)
  return shown.flatMap(key => columnOf(key, revisions, drafts) ?? [])
}

/** The drafts of this browser that are in none of the columns. */
export const hiddenDrafts = (columns: readonly Column[], revisions: readonly Revision[], drafts: Drafts): Column[] =>
  Object.keys(drafts)
    .filter(key => columns.every(column => column.key !== key))
    .flatMap(key => columnOf(key, revisions, drafts) ?? [])
    .filter(({ isDraft }) => isDraft)

function columnOf(key: string, revisions: readonly Revision[], drafts: Drafts): Column | undefined {
  const revision = revisions.find(({ id }) => id === revisionIdOf(key))
  if (revision === undefined) return undefined
  const committed = configurationOf(revision)
  const configuration = drafts[key] ?? committed
  const isDraft = changesBetween(committed, configuration).length > 0
  return { key, name: nameOf(key, revision, revisions), revision, configuration, isDraft }
}

function nameOf(key: string, revision: Revision, revisions: readonly Revision[]): string {
  const { variant_id, version, variant_slug } = revision
  const isOnly = revisions.every(other => other.variant_id === variant_id)
  const number = key.split('~')[1]
  return `${isOnly ? '' : `${variant_slug} `}v${version}${number ? ` (${number})` : ''}`
}
