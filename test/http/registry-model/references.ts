import {
  type AnyRow,
  type Artifact,
  defaultOf,
  headOf,
  type Json,
  type Kind,
  type Registry,
  type Revision,
  type Variant,
} from './model.ts'

/** References to the three layers, as sent. */
export interface References {
  artifact?: Json
  variant?: Json
  revision?: Json
}

export const identifies = (reference: Json): boolean => reference?.id !== undefined || reference?.slug !== undefined

/** Whether any of the references identifies a row. */
export const hasReference = (references: References): boolean => Object.values(references).some(identifies)

/** The revision that references find, undefined if there is none, or the status with which they are refused. */
export function resolve(
  registry: Registry,
  { family }: Kind,
  { artifact, variant, revision }: References,
): Revision | undefined | 400 {
  if (!hasReference({ artifact, variant, revision }))
    return revision?.version !== undefined || family === 'workflow' ? 400 : undefined
  let row: Revision | undefined
  if (identifies(revision)) row = registry.find(family, 'revision', revision) as Revision | undefined
  else {
    const parent = identifies(variant)
      ? (registry.find(family, 'variant', variant) as Variant | undefined)
      : defaultOf(registry.find(family, 'artifact', artifact) as Artifact | undefined)
    const { version } = revision ?? {}
    row = version === undefined ? headOf(parent) : parent?.revisions.find(one => String(one.version) === version)
  }
  return row && (agrees({ artifact, variant, revision }, row) ? row : 400)
}

/** Whether everything that was sent is so of the row. */
export const agrees = ({ artifact, variant, revision }: References, row: Revision): boolean =>
  isSame(artifact, row.variant.artifact) &&
  isSame(variant, row.variant) &&
  isSame(revision, row) &&
  (revision?.version === undefined || revision.version === String(row.version))

const isSame = (reference: Json, row: AnyRow): boolean =>
  (reference?.id === undefined || reference.id === row.id) &&
  (reference?.slug === undefined || reference.slug === row.slug)

/** Whether the row is one that a reference of a query means. */
export const isMeant = (reference: Json, row: AnyRow): boolean =>
  isSame(reference, row) && (reference.version === undefined || reference.version === String((row as Revision).version))

/** The members of a body for references. */
export const members = ({ name }: Kind, { artifact, variant, revision }: References): Json => ({
  [`${name}_ref`]: artifact,
  [`${name}_variant_ref`]: variant,
  [`${name}_revision_ref`]: revision,
})

/** What an environment stores for a revision that is deployed. */
export const entryOf = ({ name }: Kind, row: Revision): Json => ({
  [name]: { id: row.variant.artifact.id },
  [`${name}_variant`]: { id: row.variant.id },
  [`${name}_revision`]: { id: row.id, slug: row.slug, version: String(row.version) },
})

/** The references in an entry of an environment; undefined if it has none of the kind. */
export function inEntry({ name }: Kind, entry: Json): References | undefined {
  const found = { artifact: entry?.[name], variant: entry?.[`${name}_variant`], revision: entry?.[`${name}_revision`] }
  return hasReference(found) ? found : undefined
}

/** `retrieval_info.references` for a revision. */
export const infoOf = ({ name }: Kind, { id, slug, version, variant }: Revision): Json => ({
  [name]: { id: variant.artifact.id, slug: variant.artifact.slug },
  [`${name}_variant`]: { id: variant.id, slug: variant.slug },
  [`${name}_revision`]: { id, slug, version: String(version) },
})
