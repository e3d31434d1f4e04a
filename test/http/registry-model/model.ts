import { isDeepStrictEqual } from 'node:util'

/** What the interface says of the registry: rows of three layers, what changes them, and how they are shown. */

export type Json = any
export type Family = 'workflow' | 'testset' | 'query' | 'environment'
export type KindName = Family | 'application' | 'evaluator'
export type Layer = 'artifact' | 'variant' | 'revision'

export interface Kind {
  name: KindName
  plural: string
  family: Family
  lineage: KindName[]
  role?: 'is_application' | 'is_evaluator'
}

const kind = (name: KindName, plural: string, family: Family, lineage: KindName[], role?: Kind['role']): Kind => ({
  name,
  plural,
  family,
  lineage,
  role,
})

export const KINDS: Kind[] = [
  kind('workflow', 'workflows', 'workflow', ['workflow']),
  kind('application', 'applications', 'workflow', ['application', 'workflow'], 'is_application'),
  kind('evaluator', 'evaluators', 'workflow', ['evaluator', 'workflow'], 'is_evaluator'),
  kind('testset', 'testsets', 'testset', ['testset']),
  kind('query', 'queries', 'query', ['query']),
  kind('environment', 'environments', 'environment', ['environment']),
]

/** The members that can be sent of a row. */
export interface Header {
  folder_id?: string | null
  name?: string | null
  description?: string | null
  flags?: Json
  tags?: Json
  meta?: Json
}

interface Row {
  layer: Layer
  id: string
  slug: string
  name: string | null
  description: string | null
  flags: Json
  tags: Json
  meta: Json
  isEdited: boolean
  /** The number of the operation that archived it. */
  archivedBy: number | null
}
export interface Artifact extends Row {
  family: Family
  folder_id: string | null
  variants: Variant[]
}
export interface Variant extends Row {
  artifact: Artifact
  revisions: Revision[]
}
export interface Revision extends Row {
  variant: Variant
  version: number
  message: string | null
  data: Json
  isArchivedWithVariant: boolean
}
export type AnyRow = Artifact | Variant | Revision

const ROLES = ['is_application', 'is_evaluator', 'is_snippet']
const DERIVED = ['is_managed', 'is_custom', 'is_llm', 'is_hook', 'is_code', 'is_match', 'is_feedback', 'is_agent']
const OTHERS = ['is_skill', 'is_chat', 'has_url', 'has_script', 'has_handler', 'is_static']
const falseFor = (names: string[]): Json => Object.fromEntries(names.map(name => [name, false]))

/** The flags of data that a new project contains, by URI. */
export const flagsOfUri = new Map<string, Json>()

/** Otherwise only URIs of a provider that is not the server's own, so that nothing is added to the data. */
function derivedFlags(data: Json): Json {
  const known = flagsOfUri.get(data?.uri)
  if (known) return known
  const [, kindOfUri] = (data?.uri ?? '').split(':')
  return {
    ...falseFor([...DERIVED, ...OTHERS]),
    is_custom: kindOfUri === 'custom',
    has_url: data?.url !== undefined,
    has_script: data?.script !== undefined,
  }
}

/** Never undefined members, nor null ones. */
export const present = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined))

export class Registry {
  readonly artifacts: Artifact[] = []
  /** The number of operations so far, which stands for the time. */
  now = 0

  of(family: Family): Artifact[] {
    return this.artifacts.filter(one => one.family === family)
  }
  rows(family: Family, layer: Layer): AnyRow[] {
    const artifacts = this.of(family)
    if (layer === 'artifact') return artifacts
    const variants = artifacts.flatMap(one => one.variants)
    return layer === 'variant' ? variants : variants.flatMap(one => one.revisions)
  }
  find(family: Family, layer: Layer, ref: { id?: string; slug?: string }): AnyRow | undefined {
    const isIt = (row: AnyRow): boolean => (ref.id === undefined ? row.slug === ref.slug : row.id === ref.id)
    return this.rows(family, layer).find(isIt)
  }

  artifactFlags(of: Kind, sent: Json, stored: Json = null): Json {
    if (of.family === 'testset' || of.family === 'query') return null
    const names = of.family === 'environment' ? ['is_guarded'] : ROLES
    if (sent === undefined && !of.role) return stored
    const kept = sent === null && of.family === 'environment' ? {} : stored
    const known = Object.fromEntries(Object.entries(sent ?? {}).filter(([name]) => names.includes(name)))
    return { ...falseFor(names), ...kept, ...known, ...(of.role && { [of.role]: true }) }
  }

  private row(layer: Layer, id: string, slug: string, header: Header): Omit<Row, 'flags'> {
    const { name = null, description = null, tags = null, meta = null } = header
    return { layer, id, slug, name, description, tags, meta, isEdited: false, archivedBy: null }
  }
  addArtifact(of: Kind, id: string, slug: string, header: Header): Artifact {
    const flags = this.artifactFlags(of, header.flags)
    const { family } = of
    const row = this.row('artifact', id, slug, header)
    const artifact: Artifact = { ...row, flags, family, folder_id: header.folder_id ?? null, variants: [] }
    this.artifacts.push(artifact)
    return artifact
  }
  addVariant(artifact: Artifact, id: string, slug: string, header: Header): Variant {
    const row = this.row('variant', id, slug, { ...header, name: header.name ?? slug })
    const variant: Variant = { ...row, flags: freeFlags(artifact.family, header.flags), artifact, revisions: [] }
    artifact.variants.push(variant)
    return variant
  }
  addRevision(
    variant: Variant,
    id: string,
    slug: string,
    made: Header & { message?: string | null; data?: Json },
  ): Revision {
    const revision: Revision = {
      ...this.row('revision', id, slug, made),
      flags: freeFlags(variant.artifact.family, made.flags),
      variant,
      version: variant.revisions.length,
      message: made.message ?? null,
      data: made.data ?? null,
      isArchivedWithVariant: false,
    }
    variant.revisions.push(revision)
    return revision
  }

  edit(of: Kind, row: AnyRow, { name, description, flags, tags, meta, folder_id }: Header): void {
    if (name !== undefined && !(of.name === 'evaluator' && row.layer === 'artifact')) row.name = name
    if (description !== undefined) row.description = description
    if (tags !== undefined) row.tags = tags
    if (meta !== undefined) row.meta = meta
    if (row.layer === 'artifact') {
      if (folder_id !== undefined) (row as Artifact).folder_id = folder_id
      if (flags !== undefined) row.flags = this.artifactFlags(of, flags, row.flags)
    } else if (flags !== undefined && freeFlags(of.family, {}) !== null) row.flags = flags && { ...row.flags, ...flags }
    row.isEdited = true
  }

  setArchived(row: AnyRow, isArchived: boolean): void {
    if ((row.archivedBy !== null) === isArchived) {
      if (row.layer === 'revision') (row as Revision).isArchivedWithVariant = false
      return
    }
    const before = row.archivedBy
    const set = (one: AnyRow): void => {
      one.archivedBy = isArchived ? this.now : null
      one.isEdited = true
    }
    set(row)
    if (row.layer === 'revision') (row as Revision).isArchivedWithVariant = false
    if (row.layer === 'variant')
      for (const revision of (row as Variant).revisions) {
        if (isArchived ? revision.archivedBy !== null : !revision.isArchivedWithVariant) continue
        set(revision)
        revision.isArchivedWithVariant = isArchived
      }
    if (row.layer === 'artifact' && !isArchived)
      for (const variant of (row as Artifact).variants)
        if (variant.archivedBy === before) this.setArchived(variant, false)
  }
}

const freeFlags = (family: Family, flags: Json): Json =>
  family === 'query' || family === 'environment' ? (flags ?? null) : null

const prefer = <R extends Row>(rows: R[], isOldest: boolean): R | undefined => {
  const live = rows.filter(row => row.archivedBy === null)
  const among = live.length > 0 ? live : rows
  return isOldest ? among[0] : among.at(-1)
}
export const headOf = (variant: Variant | undefined): Revision | undefined => prefer(variant?.revisions ?? [], false)
export const defaultOf = (artifact: Artifact | undefined): Variant | undefined => prefer(artifact?.variants ?? [], true)
/** The variant that a flat record shows: the one that was archived with the artifact, or else the default one. */
export const shownVariantOf = (artifact: Artifact): Variant | undefined =>
  artifact.variants.find(one => artifact.archivedBy !== null && one.archivedBy === artifact.archivedBy) ??
  defaultOf(artifact)

export const isHidden = (row: AnyRow): boolean =>
  row.archivedBy !== null ||
  ('variant' in row && isHidden(row.variant)) ||
  ('artifact' in row && isHidden(row.artifact))

export const artifactOf = (row: AnyRow): Artifact =>
  'variant' in row ? row.variant.artifact : 'artifact' in row ? row.artifact : (row as Artifact)

/* How rows are shown. T stands for a time, U for the user. */

const lifecycle = (row: Row): Json => ({
  created_at: 'T',
  created_by_id: 'U',
  ...(row.isEdited && { updated_at: 'T', updated_by_id: 'U' }),
  ...(row.archivedBy !== null && { deleted_at: 'T', deleted_by_id: 'U' }),
})
const header = ({ id, slug, name, description, tags, meta }: Row, flags: Json): Json => ({
  id,
  slug,
  ...present({ name, description, tags, meta, flags }),
})
const lineage = (of: Kind, suffix: string, { id, slug }: Row): Json =>
  Object.fromEntries(
    [...of.lineage.map(name => name + suffix), suffix === '' ? 'artifact' : 'variant'].flatMap(name => [
      [`${name}_id`, id],
      [`${name}_slug`, slug],
    ]),
  )
export const shownData = (data: Json): Json => (data === null ? {} : { data })

export function shown(of: Kind, row: AnyRow): Json {
  const isFamily = of.family === 'workflow'
  const artifact = artifactOf(row)
  const roles = isFamily ? { ...falseFor(ROLES), ...artifact.flags } : {}
  if ('variant' in row)
    return {
      ...header(row, isFamily ? { ...roles, ...derivedFlags(row.data) } : row.flags),
      ...lineage(of, '', artifact),
      ...lineage(of, '_variant', row.variant),
      version: String(row.version),
      ...present({ message: row.message }),
      author: 'U',
      date: 'T',
      ...shownData(row.data),
      ...lifecycle(row),
    }
  if ('artifact' in row)
    return { ...header(row, isFamily ? roles : row.flags), ...lineage(of, '', artifact), ...lifecycle(row) }
  return { ...header(row, row.flags), ...present({ folder_id: artifact.folder_id }), ...lifecycle(row) }
}

export function shownSimple(of: Kind, artifact: Artifact, { withData = true } = {}): Json {
  const variant = shownVariantOf(artifact)
  const head = headOf(variant)
  const flags =
    of.family === 'workflow'
      ? { ...falseFor(ROLES), ...artifact.flags, ...derivedFlags(head?.data ?? null) }
      : artifact.flags
  return {
    ...header(artifact, flags),
    ...present({ folder_id: artifact.folder_id, variant_id: variant?.id, revision_id: head?.id }),
    ...(withData ? shownData(head?.data ?? null) : {}),
    ...lifecycle(artifact),
  }
}

/** Whether a stored object contains another, as JSON containment is defined for objects. */
export const contains = (stored: Json, wanted: Json): boolean =>
  wanted !== null && typeof wanted === 'object'
    ? stored !== null &&
      typeof stored === 'object' &&
      Object.entries(wanted).every(([name, value]) => name in stored && contains(stored[name], value))
    : isDeepStrictEqual(stored, wanted)

/** An answer without what differs each time. */
export function withoutTimes(value: Json, user: string): Json {
  if (Array.isArray(value)) return value.map(one => withoutTimes(one, user))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, member]: [string, Json]) => {
      if (/^(created|updated|deleted)_at$|^date$/.test(name)) return [name, /Z$/.test(member) ? 'T' : member]
      if (/_by_id$|^author$/.test(name)) return [name, member === user ? 'U' : member]
      return [name, withoutTimes(member, user)]
    }),
  )
}
