import { invalid, type Uuid } from '@spanhouse/model'
import { batchesOf, type RawBuilder, type RowList, type RowSize, sql } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { identifies, type Reference } from '../references.ts'
import { anyOf, type ListQuery, listRows } from '../rows/list.ts'
import { type RevisionRow, selectSizes } from '../rows/rows.ts'
import type { Window } from '../rows/window.ts'

/** The names under which entries refer to the deployed artifact. */
const ARTIFACT_NAMES = ['application', 'workflow', 'evaluator'] as const

export interface RevisionListQuery extends ListQuery {
  /** Environments only: revisions in which the deployment of one of these differs from the head before them. */
  changed_references?: Reference[]
}

/** As `listRows` for revisions, plus the condition that only environments have. */
export function listRevisions(scope: Scope, query: RevisionListQuery): Promise<RowList<RevisionRow>> {
  const references = query.changed_references ?? []
  if (references.length === 0) return listRows(scope, 'revision', query)
  const isAmong = isOfOne(scope, references)
  return listRows(scope, 'revision', query, (window, where) => selectChanged(scope, { window, where, isAmong }))
}

/** A revision that may be in the list, and the version of the one before it. */
interface Candidate extends RowSize {
  variant_id: Uuid
  version: number
  before: number
}

interface Choice {
  window: Window
  where: readonly RawBuilder<unknown>[]
  isAmong: RawBuilder<unknown>
}

const CANDIDATES_AT_ONCE = 100

/** The first revisions, up to the limit, in which the deployment differs from that of the revision before. */
async function selectChanged(scope: Scope, choice: Choice): Promise<RowSize[]> {
  const countMax = choice.window.limit + 1
  const found: RowSize[] = []
  // The one before a revision is most often the next candidate: it is looked into once.
  let known: Deployed = new Map()
  for await (const batch of candidatesOf(scope, choice)) {
    const places = batch.flatMap(({ variant_id, version, before }) => [
      placeOf(variant_id, version),
      placeOf(variant_id, before),
    ])
    known = await deployedAt(scope, { places: new Set(places), known, isAmong: choice.isAmong })
    for (const { id, bytes, variant_id, version, before } of batch)
      if (known.get(placeOf(variant_id, version)) !== known.get(placeOf(variant_id, before))) found.push({ id, bytes })
    if (found.length >= countMax) break
  }
  return found.slice(0, countMax)
}

/**
 * All revisions that the conditions select, in batches: the embedded database works on one statement at a time, of
 * whomever, and what is deployed is found by parsing all of their data.
 */
async function* candidatesOf(scope: Scope, { window, where }: Choice): AsyncGenerator<Candidate[]> {
  const more = sql`, r.variant_id, r.version, ${BEFORE} as before`
  let part = window.part(CANDIDATES_AT_ONCE)
  while (true) {
    const { conditions, tail } = part
    const rows = await selectSizes<Candidate>(scope, 'revision', { where: [...where, ...conditions], tail, more })
    yield* batchesOf(rows)
    const last = rows.at(-1)
    if (!last || rows.length < CANDIDATES_AT_ONCE) return
    part = window.part(CANDIDATES_AT_ONCE, last.id)
  }
}

/**
 * The version before that of `r`. Archived ones count only where there are no others, as for events of commits;
 * versions have no gaps.
 */
const BEFORE = sql`coalesce((
    select l.version from revisions l
    where l.project_id = r.project_id and l.variant_id = r.variant_id and l.version < r.version and l.deleted_at is null
    order by l.version desc limit 1), r.version - 1)`

/** Where a revision is, as a key. */
const placeOf = (variant_id: Uuid, version: number): string => `${variant_id} ${version}`

/** What of the artifacts is deployed at each place, as text that can be compared; undefined for nothing. */
type Deployed = ReadonlyMap<string, string | undefined>

/** Key → revision of everything among these that the environments' revisions at these places deploy. */
async function deployedAt(
  scope: Scope,
  { places, known, isAmong }: { places: ReadonlySet<string>; known: Deployed; isAmong: RawBuilder<unknown> },
): Promise<Deployed> {
  const unknown = [...places].filter(place => !known.has(place)).map(place => place.split(' '))
  const revisions = ARTIFACT_NAMES.map(name => sql`e.value -> ${`${name}_revision`} -> 'id'`)
  const { rows } = await sql<{ variant_id: Uuid; version: number; deployed: string }>`
    select r.variant_id, r.version, jsonb_object_agg(e.key, coalesce(${sql.join(revisions)}, 'null'))::text as deployed
    from unnest(${unknown.map(([id]) => id)}::uuid[], ${unknown.map(([, version]) => version)}::int[])
      as wanted (variant_id, version)
    join revisions r on r.project_id = ${scope.project_id} and r.variant_id = wanted.variant_id
      and r.version = wanted.version,
    jsonb_each(coalesce(r.data -> 'references', '{}')::jsonb) e
    where ${isAmong} group by r.variant_id, r.version`.execute(scope.db)
  const found = new Map(rows.map(row => [placeOf(row.variant_id, row.version), row.deployed]))
  return new Map([...places].map(place => [place, found.get(place) ?? known.get(place)]))
}

/**
 * Whether an entry `e` refers to one of these artifacts. Deployments write ids only, so a slug also stands for the id
 * of the workflow that has it. However many references there are, an entry is looked up in three lists.
 */
function isOfOne({ project_id }: Scope, references: readonly Reference[]): RawBuilder<unknown> {
  if (!references.every(identifies)) throw invalid('references: each reference must have an id or a slug')
  const ids = references.flatMap(({ id }) => id ?? [])
  const slugs = references.flatMap(({ id, slug }) => (id === undefined && slug !== undefined ? [slug] : []))
  const called = sql`select a.id::text from artifacts a
    where a.project_id = ${project_id} and a.family = 'workflow' and ${anyOf(sql.ref('a.slug'), slugs)}`
  const options = ARTIFACT_NAMES.flatMap(name => {
    const member = (one: string) => sql`(e.value -> ${name} ->> ${one})`
    return [anyOf(member('id'), ids), sql`${member('id')} in (${called})`, anyOf(member('slug'), slugs)]
  })
  return sql`(${sql.join(options, sql` or `)})`
}
