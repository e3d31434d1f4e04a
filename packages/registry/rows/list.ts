import { invalid, type JsonObject, type Micros, microsToIso, type Uuid } from '@spanhouse/model'
import { type RawBuilder, sql, toJsonb } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import { falseFor } from '../flags.ts'
import type { Kind, Layer, Scope } from '../kind.ts'
import { identifies, type Reference, versionOf } from '../references.ts'
import { listOf, type RowList } from './row-list.ts'
import { column, type RowOf, readBatch, selectSizes } from './rows.ts'
import { pageOf, windowOf } from './window.ts'

/** What records must have; all of it. */
export interface RecordFilter {
  /** Any of these. */
  slugs?: string[]
  /** Part of the text, in any case. */
  name?: string
  description?: string
  message?: string
  /** Contained in the record's own. */
  flags?: JsonObject
  tags?: JsonObject
  /** Null: in no folder. Artifacts only. */
  folder_id?: Uuid | null
  /** Any of these. Revisions only. */
  authors?: Uuid[]
  dates?: Micros[]
}

export interface ListQuery {
  filter?: RecordFilter
  /** Records of, or at, any of these, for each layer that is given. An empty list is no restriction. */
  artifact_refs?: Reference[]
  variant_refs?: Reference[]
  revision_refs?: Reference[]
  include_archived?: boolean
  windowing?: WindowingBody
}

/** The page of a layer that a query asks for, newest first unless the query says otherwise. Further conditions may be added. */
export async function listRows<L extends Layer>(
  scope: Scope,
  layer: L,
  query: ListQuery,
  more: readonly RawBuilder<unknown>[] = [],
): Promise<RowList<RowOf[L]>> {
  const window = windowOf(layer, query.windowing)
  const where = [...conditionsOf(scope, layer, query), ...more, ...window.conditions]
  const sizes = await selectSizes(scope, layer, { where, tail: window.tail })
  const page = pageOf(sizes, window, query.windowing)
  return listOf(page.rows, batch => readBatch(scope, layer, batch), { windowing: page.windowing })
}

/** Everything but the window. */
export function conditionsOf(scope: Scope, layer: Layer, query: ListQuery): RawBuilder<unknown>[] {
  const { kind } = scope
  return [
    ...visible(layer, query.include_archived ?? false),
    ...(kind.role === null ? [] : containing(sql.ref('a.flags'), { [kind.role]: true })),
    ...referenced(kind, layer, query),
    ...filtered(layer, query.filter ?? {}),
    ...(query.filter?.flags ? flagsContain(scope, layer, query.filter.flags) : []),
  ]
}

const LAYERS_UP_TO: Record<Layer, readonly Layer[]> = {
  artifact: ['artifact'],
  variant: ['variant', 'artifact'],
  revision: ['revision', 'variant', 'artifact'],
}

/** What lies below an archived record is hidden with it. */
const visible = (layer: Layer, include_archived: boolean): RawBuilder<unknown>[] =>
  include_archived ? [] : LAYERS_UP_TO[layer].map(one => sql`${column(one, 'deleted_at')} is null`)

function referenced(kind: Kind, layer: Layer, query: ListQuery): RawBuilder<unknown>[] {
  const given = { artifact: query.artifact_refs, variant: query.variant_refs, revision: query.revision_refs }
  const isScoped = [...(given.artifact ?? []), ...(given.variant ?? [])].some(identifies)
  return LAYERS_UP_TO[layer].flatMap(one => {
    const options = (given[one] ?? []).flatMap(reference => {
      const parts = partsOf(one, reference)
      if (one === 'revision' && reference.version !== undefined && !identifies(reference) && !isScoped)
        throw invalid(`${kind.name}_revision_refs: a version needs ${kind.name}_variant_refs to be a version of`)
      return parts.length === 0 ? [] : [sql`(${sql.join(parts, sql` and `)})`]
    })
    return options.length === 0 ? [] : [sql`(${sql.join(options, sql` or `)})`]
  })
}

function partsOf(layer: Layer, { id, slug, version }: Reference): RawBuilder<unknown>[] {
  const byVersion = layer === 'revision' && version !== undefined
  return [
    id === undefined ? null : sql`${column(layer, 'id')} = ${id}::uuid`,
    slug === undefined ? null : sql`${column(layer, 'slug')} = ${slug}`,
    byVersion ? sql`${column(layer, 'version')} = ${versionOf(version)}` : null,
  ].filter(part => part !== null)
}

/** One row a member of the filter; flags are apart. */
function filtered(layer: Layer, filter: RecordFilter): RawBuilder<unknown>[] {
  const { slugs, name, description, message, tags, folder_id, authors, dates } = filter
  const own = (column_: string): RawBuilder<unknown> => column(layer, column_)
  return [
    slugs && anyOf(own('slug'), slugs),
    name === undefined ? undefined : hasText(own('name'), name),
    description === undefined ? undefined : hasText(own('description'), description),
    message === undefined ? undefined : hasText(own('message'), message),
    ...containing(own('tags'), tags),
    folder_id === undefined ? undefined : sql`${own('folder_id')} is not distinct from ${folder_id}::uuid`,
    authors && anyOf(own('created_by_id'), authors, 'uuid'),
    dates && anyOf(own('created_at'), dates.map(microsToIso), 'timestamptz'),
  ].filter(condition => condition !== undefined)
}

/** Whether a column is one of these. They are one parameter: a statement has 65,535 at most. */
export const anyOf = (left: RawBuilder<unknown>, values: readonly string[], type = 'text'): RawBuilder<unknown> =>
  sql`${left} in (select one::${sql.raw(type)} from jsonb_array_elements_text(${toJsonb([...values])}::jsonb) one)`

/** Case does not matter, and `%` and `_` are what they look like. */
const hasText = (left: RawBuilder<unknown>, text: string): RawBuilder<unknown> =>
  sql`${left} ilike ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`

/** Whether a JSON column contains an object. An empty one is in everything, also where there is none. */
export const containing = (left: RawBuilder<unknown>, value: JsonObject = {}): RawBuilder<unknown>[] =>
  Object.keys(value).length === 0 ? [] : [sql`${left} @> ${toJsonb(value)}::jsonb`]

/**
 * Flags as they are shown: a workflow's roles stand with the artifact and nowhere else (variants, revisions and flat
 * records show those as false that it was never given), what follows from the data stands with the revision. Flags that
 * the record cannot have, and nulls, are no restriction.
 */
export function flagsContain(scope: Scope, layer: Layer, flags: JsonObject): RawBuilder<unknown>[] {
  const { kind } = scope
  if (kind.freeFlags && layer !== 'artifact') return containing(column(layer, 'flags'), flags)
  const derivedNames = layer === 'revision' ? Object.keys(kind.content.flags?.(null, '', scope) ?? {}) : []
  const roles =
    kind.content.flags && layer !== 'artifact'
      ? sql`(${toJsonb(falseFor(kind.artifactFlags))}::jsonb || coalesce(a.flags, '{}'))`
      : sql.ref('a.flags')
  return [
    ...containing(roles, known(flags, kind.artifactFlags)),
    ...containing(sql.ref('r.flags'), known(flags, derivedNames)),
  ]
}

const known = (flags: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(flags).filter(([name, value]) => value !== null && names.includes(name)))
