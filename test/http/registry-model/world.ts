import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type AnyRow,
  artifactOf,
  flagsOfUri,
  type Json,
  KINDS,
  type Kind,
  type Layer,
  Registry,
  shown,
  type Variant,
  withoutTimes,
} from './model.ts'

export type Send = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: any; text: string }>

/** What a request must be answered with: a status, and the body if that is to be compared. */
export interface Expected {
  status: number
  body?: Json
}

export const refused = (status: number): Expected => ({ status })
export const NOTHING: Expected = { status: 200, body: { count: 0 } }

export const LAYERS: readonly Layer[] = ['artifact', 'variant', 'revision']
/** The key of a layer in bodies. */
export const keyOf = ({ name }: Kind, layer: Layer): string => (layer === 'artifact' ? name : `${name}_${layer}`)
export const pluralOf = (kind: Kind, layer: Layer): string =>
  layer === 'artifact' ? kind.plural : `${keyOf(kind, layer)}s`
export const pathOf = ({ plural }: Kind, layer: Layer): string =>
  layer === 'artifact' ? `/${plural}` : `/${plural}/${layer}s`
export const oneOf = (kind: Kind, layer: Layer, record: Json): Expected => ({
  status: 200,
  body: { count: 1, [keyOf(kind, layer)]: record },
})
/** The kind under which all rows of a family are seen. */
export const plainKind = ({ family }: { family: Kind['family'] }): Kind =>
  KINDS.find(one => one.name === family) as Kind

/** A project, and the model of its registry. */
export class World {
  readonly registry = new Registry()
  /** When rows were created, as answers say. */
  readonly times = new Map<string, string>()
  readonly folders: string[] = []
  readonly send: Send
  readonly user: string

  private constructor(send: Send, user: string) {
    this.send = send
    this.user = user
  }

  /** A project's registry, with what new projects contain. */
  static async of(send: Send, user: string): Promise<World> {
    const world = new World(send, user)
    for (const slug of ['f', 'g'])
      world.folders.push((await send('POST', '/folders/', { folder: { slug, name: slug } })).body.folder.id)
    for (const kind of KINDS.filter(one => one.name === one.family)) await world.#readAll(kind)
    return world
  }

  async #readAll(kind: Kind): Promise<void> {
    const all = { include_archived: true, windowing: { order: 'ascending' } }
    const [artifacts, variants, revisions] = await Promise.all(
      LAYERS.map(async layer => (await this.send('POST', `${pathOf(kind, layer)}/query`, all)).body),
    )
    const { registry } = this
    for (const row of artifacts[pluralOf(kind, 'artifact')]) {
      const made = registry.addArtifact(kind, row.id, row.slug, row)
      made.flags = row.flags ?? null
      made.isEdited = row.updated_at !== undefined
    }
    for (const row of variants[pluralOf(kind, 'variant')]) {
      const artifact = registry.find(kind.family, 'artifact', { id: row.artifact_id })
      registry.addVariant(artifact as never, row.id, row.slug, row)
    }
    for (const row of revisions[pluralOf(kind, 'revision')]) {
      const variant = registry.find(kind.family, 'variant', { id: row.variant_id })
      registry.addRevision(variant as never, row.id, row.slug, row)
      const { is_application, is_evaluator, is_snippet, ...derived } = row.flags ?? {}
      if (row.data?.uri) flagsOfUri.set(row.data.uri, derived)
    }
    for (const answer of [artifacts, variants, revisions]) this.#noteTimes(answer)
  }

  #noteTimes(value: Json): void {
    if (value === null || typeof value !== 'object') return
    if (typeof value.id === 'string' && typeof value.created_at === 'string') this.times.set(value.id, value.created_at)
    for (const member of Object.values(value)) this.#noteTimes(member)
  }

  /** Sends a request, and compares the answer with what is expected, which may take over ids the server has made. */
  async ask(method: string, path: string, body: Json, expected: (answer: Json) => Expected): Promise<Json> {
    const answer = await this.send(method, path, body)
    const success = answer.status === 200 ? answer.body : undefined
    this.#noteTimes(success)
    const wanted = expected(success)
    const given = withoutHashes(withoutTimes(answer.body, this.user))
    const isSame = wanted.body === undefined || isDeepStrictEqual(given, JSON.parse(JSON.stringify(wanted.body)))
    if (answer.status === wanted.status && isSame) return success
    throw new Error(
      `${method} ${path} ${JSON.stringify(body)}\nwas answered with ${answer.status} ${JSON.stringify(given)}\n` +
        `instead of ${wanted.status} ${JSON.stringify(wanted.body)}`,
    )
  }

  /** Takes over the ids and slugs that the server gave to revisions without showing them. */
  async learn(variant: Variant): Promise<void> {
    const kind = plainKind(artifactOf(variant))
    const query = {
      [`${kind.name}_variant_refs`]: [{ id: variant.id }],
      include_archived: true,
      windowing: { order: 'ascending' },
    }
    const { body } = await this.send('POST', `/${kind.plural}/revisions/query`, query)
    this.#noteTimes(body)
    const rows = body[`${kind.name}_revisions`]
    const versions = rows.map((row: Json) => row.version)
    if (
      !isDeepStrictEqual(
        versions,
        variant.revisions.map(row => String(row.version)),
      )
    )
      throw new Error(`variant ${variant.id} has the versions ${versions}, not ${variant.revisions.length}`)
    for (const [at, revision] of variant.revisions.entries())
      Object.assign(revision, { id: rows[at].id, slug: rows[at].slug })
  }

  /** One of a layer's rows, counted from the newest. */
  pick<R extends AnyRow>({ family }: Kind, layer: Layer, at: number): R | undefined {
    const rows = this.registry.rows(family, layer)
    return rows.at(-1 - (at % Math.max(1, rows.length))) as R | undefined
  }

  /** A list, page by page. */
  async pages(path: string, body: Json, { key, rows, show, limit, order, bounds }: Pages): Promise<void> {
    const ascending = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const sorted = order === 'ascending' ? ascending : ascending.toReversed()
    const size = limit === undefined ? sorted.length + 1 : Math.max(1, limit)
    for (let from = 0, next: string | undefined; ; from += size) {
      const page = sorted.slice(from, from + size)
      const isLast = from + size >= sorted.length
      const given = { ...bounds, ...(limit !== undefined && { limit }), ...(order && { order }), ...(next && { next }) }
      const windowing = Object.keys(given).length > 0 ? given : undefined
      const rest = { ...bounds, order, limit: size, next: page.at(-1)?.id }
      const records = { count: page.length, [key]: page.map(show), ...(!isLast && { windowing: rest }) }
      await this.ask('POST', path, { ...body, windowing }, () => ({ status: 200, body: records }))
      if (isLast) return
      next = page.at(-1)?.id
    }
  }

  /** Compares everything there is with the model, on every surface. */
  async compareAll(): Promise<void> {
    for (const kind of KINDS)
      for (const layer of LAYERS) {
        const isOfRole = (row: AnyRow): boolean => !kind.role || artifactOf(row).flags?.[kind.role] === true
        const rows = this.registry.rows(kind.family, layer).filter(isOfRole)
        const key = pluralOf(kind, layer)
        const body = { include_archived: true }
        await this.pages(`${pathOf(kind, layer)}/query`, body, { key, rows, show: row => shown(kind, row) })
      }
  }

  /** An id that nothing has. */
  readonly unknown = randomUUID()
}

interface Pages {
  key: string
  rows: AnyRow[]
  show: (row: AnyRow) => Json
  limit?: number
  order?: string
  bounds?: { newest?: string; oldest?: string }
}

/** The ids of a testset's rows are hashes, and dedup ids are made of them; of warnings the text is free. */
function withoutHashes(body: Json): Json {
  return JSON.parse(JSON.stringify(body ?? null), (name, member) => {
    if (name === 'warnings') return member.map((warning: Json) => warning.code)
    if (name !== 'data' || !Array.isArray(member?.testcases)) return member
    const ids = member.testcases.map((row: Json) => row.id)
    const rows = member.testcases.map(({ data: { testcase_dedup_id: _, ...data } }: Json) => ({ data }))
    return isDeepStrictEqual(ids, member.testcase_ids) ? { testcases: rows } : { other_ids: member }
  })
}
