import { createHash, randomBytes } from 'node:crypto'
import type { ProjectPrincipal } from '@spanhouse/access'
import {
  acceptedNow,
  invalid,
  type JsonObject,
  microsNow,
  microsToIso,
  nextTurn,
  type SpanId,
  type SpanJson,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import { canonicalise, draftOfBody, type SpanBody } from '@spanhouse/otlp'
import { compileHeadsByIds, nextWindowing, type Position } from '@spanhouse/query'
import {
  type Engine,
  type Holder,
  readOneTrace,
  readSpans,
  readTraceHeads,
  SPAN_COLUMNS,
  type StoredSpan,
} from '@spanhouse/span-store'
import { type Ingest, publishDrafts } from '../ingest/accept.ts'
import { type Deleting, deleteTrace, untilTraceStored } from '../ingest/delete-trace.ts'
import { acceptedNext, requireTurn } from '../ingest/trace-turn.ts'
import type { Registry } from '../routes/registry/endpoint.ts'
import type { GivenReferences, NewSimpleTrace, SimpleTraceEdit } from './bodies.ts'
import { EditTurns } from './edit-turns.ts'
import { applicationOf, evaluatorOf, requireOutputs, withProducer } from './producer.ts'
import { type SimpleTraceQuery, toSpanQuery } from './query.ts'
import { RecentWrites } from './recent-writes.ts'
import {
  editedSpan,
  hasProducer,
  type SimpleTraceJson,
  type SimpleTraceSpan,
  simpleTraceOf,
  spanOfSimpleTrace,
  toSimpleTrace,
} from './span.ts'
import type { Surface } from './surfaces.ts'

export type SimpleTraceParts = Ingest & Deleting & { registry: Registry; engine: Engine }

/** A span that is a simple trace: kept as read, since many of them may be large. */
class ShownSimpleTrace {
  readonly #surface: Surface
  readonly #span: StoredSpan

  constructor(surface: Surface, span: StoredSpan) {
    this.#surface = surface
    this.#span = span
  }

  toJSON(): SimpleTraceJson | undefined {
    return simpleTraceOf(this.#surface, this.#span.toJSON() as SpanJson & SimpleTraceSpan)
  }
}

/** A page of a query. */
export interface SimpleTracePage {
  /** Each is rendered when its turn comes. */
  found: ShownSimpleTrace[]
  /** The window of the next page; undefined on the last one. */
  windowing: JsonObject | undefined
}

/** Creates, reads, edits, deletes and queries simple traces on all surfaces. */
export class SimpleTraces {
  readonly #parts: SimpleTraceParts
  readonly #recent: RecentWrites
  readonly #turns: EditTurns

  constructor(parts: SimpleTraceParts) {
    this.#parts = parts
    this.#recent = new RecentWrites(parts.background)
    this.#turns = new EditTurns(parts.postgres, this.#recent)
  }

  /**
   * Resolves with the simple trace once it is durable. Its producer is first looked up in the registry, or created
   * there. A call that is repeated with its key stores the same trace again, which then takes the place of the first.
   */
  async create(
    surface: Surface,
    principal: ProjectPrincipal,
    given: NewSimpleTrace,
    key: string | undefined,
  ): Promise<SimpleTraceJson> {
    const references = await this.#withProducer(surface, principal, given)
    const trace = { ...given, references }
    const ids = key === undefined ? newIds() : idsOf(principal, key)
    const span_name = nameOf(surface, given.references, references)
    const body = spanOfSimpleTrace(surface, { ...ids, span_name }, trace)
    const span = await this.#publish(principal, body, acceptedNow())
    const created = { created_at: microsToIso(microsNow()), created_by_id: principal.user_id }
    return toSimpleTrace(surface, { ...span, ...created })
  }

  /** Undefined if the project has no such simple trace on this surface. */
  async read(surface: Surface, principal: ProjectPrincipal, trace_id: TraceId): Promise<SimpleTraceJson | undefined> {
    const span = await this.#span(principal, trace_id)
    return span && simpleTraceOf(surface, span)
  }

  /**
   * The simple trace after the edit, once it is durable; undefined if it does not exist. Edits of a trace are made one
   * after the other; rejects with a Problem `overloaded` if those before it take too long.
   */
  async edit(
    surface: Surface,
    principal: ProjectPrincipal,
    trace_id: TraceId,
    given: SimpleTraceEdit,
  ): Promise<SimpleTraceJson | undefined> {
    const place = { project_id: principal.project_id, trace_id }
    return this.#turns.run(place, async turn => {
      const span = await this.#spanToChange(principal, trace_id)
      const stored = span && simpleTraceOf(surface, span)
      if (!span || !stored) return undefined
      const edit = await this.#checkedEdit(surface, principal, stored, given)
      const accepted_at = await acceptedNext(this.#parts.background, place)
      requireTurn(turn)
      const edited = await this.#publish(principal, editedSpan(span, edit, accepted_at), accepted_at)
      const { created_at, created_by_id } = span
      const updated = { updated_at: microsToIso(accepted_at), updated_by_id: principal.user_id }
      return toSimpleTrace(surface, { ...edited, created_at, created_by_id, ...updated })
    })
  }

  /**
   * Deletes the whole trace, and resolves with its root once it is deleted; undefined if there was nothing, or a trace
   * that does not refer to a producer of this surface.
   */
  async delete(surface: Surface, principal: ProjectPrincipal, trace_id: TraceId): Promise<SpanId | undefined> {
    const root = await this.#spanToChange(principal, trace_id)
    if (surface.producer && !(root && hasProducer(surface, root))) return undefined
    const [first] = await deleteTrace(this.#parts, principal, trace_id)
    this.#recent.forget({ project_id: principal.project_id, trace_id })
    return first && ((root?.span_id as SpanId | undefined) ?? first)
  }

  /** A page in the order of the window. A trace that is deleted meanwhile is omitted. */
  async query(
    surface: Surface,
    { project_id }: ProjectPrincipal,
    asked: SimpleTraceQuery,
    holder: Holder,
  ): Promise<SimpleTracePage> {
    const query = toSpanQuery(surface, asked)
    if (!query) return { found: [], windowing: undefined }
    const heads = await readTraceHeads(this.#parts.engine, { project_id, query })
    const found = await this.#shown(surface, project_id, heads, holder)
    return { found, windowing: nextWindowing(query, heads) }
  }

  async #shown(
    surface: Surface,
    project_id: Uuid,
    heads: readonly Position[],
    holder: Holder,
  ): Promise<ShownSimpleTrace[]> {
    if (heads.length === 0) return []
    const { engine } = this.#parts
    const trace_ids = heads.map(head => head.trace_id)
    const spans = await readSpans(engine, compileHeadsByIds({ project_id, columns: SPAN_COLUMNS, trace_ids }), holder)
    const byId = new Map(spans.map(span => [span.trace_id as TraceId, span]))
    const shown: ShownSimpleTrace[] = []
    for (const id of trace_ids) {
      const span = byId.get(id)
      const trace = span && new ShownSimpleTrace(surface, span)
      if (trace?.toJSON()) shown.push(trace)
      await nextTurn()
    }
    return shown
  }

  /** The root of the trace, in the version accepted last. */
  async #span({ project_id }: ProjectPrincipal, trace_id: TraceId): Promise<(SpanJson & SimpleTraceSpan) | undefined> {
    await this.#recent.stored({ project_id, trace_id })
    const statement = compileHeadsByIds({ project_id, columns: SPAN_COLUMNS, trace_ids: [trace_id] })
    const [span] = await readOneTrace(this.#parts.engine, trace_id, engine => readSpans(engine, statement))
    return span && span.parent_id === undefined ? (span.toJSON() as SpanJson & SimpleTraceSpan) : undefined
  }

  /**
   * The same for a change, which must not find nothing while the trace is in the stream: another process may have
   * accepted it.
   */
  async #spanToChange(
    principal: ProjectPrincipal,
    trace_id: TraceId,
  ): Promise<(SpanJson & SimpleTraceSpan) | undefined> {
    const found = await this.#span(principal, trace_id)
    if (found) return found
    await untilTraceStored(this.#parts, principal, trace_id)
    return this.#span(principal, trace_id)
  }

  async #publish(principal: ProjectPrincipal, body: SpanBody, accepted_at: number): Promise<SimpleTraceSpan> {
    const draft = draftOfBody(body, microsNow())
    if (!draft) throw invalid('The values are nested too deeply to be stored.')
    await publishDrafts(this.#parts.stream, principal, [draft], accepted_at)
    this.#parts.metrics.accepted.inc(1)
    this.#recent.note({ project_id: principal.project_id, trace_id: draft.trace_id }, accepted_at)
    return canonicalise(draft) as unknown as SimpleTraceSpan
  }

  async #withProducer(surface: Surface, principal: ProjectPrincipal, given: NewSimpleTrace): Promise<GivenReferences> {
    const { references } = given
    const { registry } = this.#parts
    if (surface.producer === 'application') {
      const found = await applicationOf(registry, principal, given)
      return { ...references, keys: withProducer(references.keys, 'application', found) }
    }
    const isClaimed = references.keys.evaluator !== undefined && Object.keys(given.links ?? {}).length > 0
    if (surface.producer === null && !isClaimed) return references
    const found = await evaluatorOf(registry, principal, given)
    if (surface.producer) await requireOutputs(found, given.data, principal.project_id)
    return { ...references, keys: withProducer(references.keys, 'evaluator', found) }
  }

  /** A simple trace keeps its producer, and its data must satisfy the producer's schema. */
  async #checkedEdit(
    { producer }: Surface,
    principal: ProjectPrincipal,
    stored: SimpleTraceJson,
    edit: SimpleTraceEdit,
  ): Promise<SimpleTraceEdit> {
    if (producer === null) return edit
    const own = Object.entries(stored.references as GivenReferences['keys']).filter(([key]) => key.startsWith(producer))
    const keys = Object.fromEntries(own)
    if (producer === 'evaluator') {
      const claim = { references: { keys, selector: undefined }, data: edit.data }
      const found = await evaluatorOf(this.#parts.registry, principal, claim)
      await requireOutputs(found, edit.data, principal.project_id)
    }
    return edit.references
      ? { ...edit, references: { ...edit.references, keys: { ...edit.references.keys, ...keys } } }
      : edit
  }
}

const newIds = () => ({ trace_id: randomBytes(16).toString('hex'), span_id: randomBytes(8).toString('hex') })

/** The ids of what a user creates with a key: always the same. */
function idsOf({ project_id, user_id }: ProjectPrincipal, key: string): ReturnType<typeof newIds> {
  const digest = createHash('sha256')
    .update(JSON.stringify([project_id, user_id, key]))
    .digest('hex')
  return { trace_id: digest.slice(0, 32), span_id: digest.slice(32, 48) }
}

/** The slug of the evaluator, or of the application as the caller gave it. */
const nameOf = (surface: Surface, given: GivenReferences, full: GivenReferences): string =>
  surface.producer === 'application'
    ? (given.keys.application?.slug ?? randomBytes(6).toString('hex'))
    : (full.keys.evaluator?.slug ?? 'annotation')
