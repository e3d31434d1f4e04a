import { invalid, type JsonObject, type Micros, microsToIso, type Uuid } from '@spanhouse/model'
import { listOf, type RawBuilder, type RowList, type RowSize, sql, toJsonb } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import { falseFor } from '../flags.ts'
import type { Kind, Layer, Scope } from '../kind.ts'
import { identifies, type Reference, versionOf } from '../references.ts'
import { column, type RowOf, readBatch, selectSizes } from './rows.ts'
import { pageOf, type Window, windowOf } from './window.ts'

/** Conditions on rows, all of which must hold. */
export interface RecordFilter {
  /** One of these must match. */
  slugs?: string[]
  /** A part of the text, ignoring case. */
  name?: string
  description?: string
  message?: string
  /** Contained in the row's own flags. */
  flags?: JsonObject
  tags?: JsonObject
  /** Null: in no folder. Artifacts only. */
  folder_id?: Uuid | null
  /** One of these must match. Revisions only. */
  authors?: Uuid[]
  dates?: Micros[]
}

export interface ListQuery {
  filter?: RecordFilter
  /** Rows that belong to, or are, one of these, for each layer given. An empty list does not restrict. */
  artifact_refs?: Reference[]
  variant_refs?: Reference[]
  revision_refs?: Reference[]
  include_archived?: boolean
  windowing?: WindowingBody
}

/**
 * A page of a layer, newest first by default. `select` reads the sizes of the window's rows, if there is another
 * condition than those of the query.
 */
export async function listRows<L extends Layer>(
  scope: Scope,
  layer: L,
  query: ListQuery,
  select: (window: Window, where: readonly RawBuilder<unknown>[]) => Promise<RowSize[]> = (
    { conditions, tail },
    where,
  ) => selectSizes(scope, layer, { where: [...where, ...conditions], tail }),
): Promise<RowList<RowOf[L]>> {
  const window = windowOf(layer, query.windowing)
  const sizes = await select(window, conditionsOf(scope, layer, query))
  const page = pageOf(sizes, window, query.windowing)
  return listOf(page.rows, batch => readBatch(scope, layer, batch), { windowing: page.windowing })
}

/** All conditions except the window. */
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

/** Children of an archived row are hidden with it. */
const visible = (layer: Layer, include_archived: boolean): RawBuilder<unknown>[] =>
  include_archived ? [] : LAYERS_UP_TO[layer].map(one => sql`${column(one, 'deleted_at')} is null`)

function referenced(kind: Kind, layer: Layer, query: ListQuery): RawBuilder<unknown>[] {
  const given = { artifact: query.artifact_refs, variant: query.variant_refs, revision: query.revision_refs }
  const isScoped = [...(given.artifact ?? []), ...(given.variant ?? [])].some(identifies)
  return LAYERS_UP_TO[layer].flatMap(one => {
    const options = (given[one] ?? []).flatMap(reference => {
      const parts = partsOf(one, reference)
      if (one === 'revision' && reference.version !== undefined && !identifies(reference) && !isScoped)
        throw invalid(`${kind.name}_revision_refs: a version requires ${kind.name}_variant_refs`)
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

/** One entry per member of the filter; flags are handled separately. */
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

/**
 * Whether a column is one of these values. They are one parameter, because a statement has at most 65,535. An array,
 * since Postgres looks a row's value up in it: it compared each row with all values of a subquery.
 */
export const anyOf = (left: RawBuilder<unknown>, values: readonly string[], type = 'text'): RawBuilder<unknown> =>
  sql`${left} = any(${values}::${sql.raw(type)}[])`

/** Ignores case, and matches `%` and `_` literally. */
const hasText = (left: RawBuilder<unknown>, text: string): RawBuilder<unknown> =>
  sql`${left} ilike ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`

/** Whether a JSON column contains an object. An empty object is contained in everything, including null. */
export const containing = (left: RawBuilder<unknown>, value: JsonObject = {}): RawBuilder<unknown>[] =>
  Object.keys(value).length === 0 ? [] : [sql`${left} @> ${toJsonb(value)}::jsonb`]

/**
 * Compares flags as shown: a workflow's roles are stored with the artifact only (variants, revisions and simple rows
 * show unset roles as false), flags derived from the data with the revision. Flags that the row cannot have, and nulls,
 * do not restrict.
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
