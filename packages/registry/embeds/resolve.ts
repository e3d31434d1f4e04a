import { isJsonObject, type Json, type JsonObject, nextTurn, type Uuid } from '@spanhouse/model'
import { valueAtPath } from '@spanhouse/runtime'
import { type Embed, writtenText } from './embed.ts'
import { EmbedFailure, shown } from './failure.ts'
import { type CopyBudget, type Places, pathOf, plant, put, type Spot, spend, spendOn } from './places.ts'
import { type EmbedRevision, type LoadEmbeds, Targets } from './targets.ts'
import type { Token } from './tokens.ts'

/**
 * What happens with an embed that cannot be replaced: the request fails, the embed becomes a placeholder, or it stays.
 */
export const ERROR_POLICIES = ['exception', 'placeholder', 'keep'] as const
export type ErrorPolicy = (typeof ERROR_POLICIES)[number]

export interface EmbedLimits {
  /** Levels of nested embeds; 10 by default or if 0, at most 100. */
  max_depth?: number
  /** Embeds in total; 100 by default or if 0, at most 1,000. */
  max_embeds?: number
  error_policy?: ErrorPolicy
}

/**
 * `resolution_info`: what was replaced. References are those of the document's own embeds, as written. Each of the
 * first 1,000 errors names the place of an embed, what it refers to, and what is wrong.
 */
export type ResolutionInfo = {
  references_used: JsonObject[]
  depth_reached: number
  embeds_resolved: number
  errors: string[]
}

const DEPTH = { usual: 10, max: 100 }
const EMBEDS = { usual: 100, max: 1000 }
/** Total size of the copies, and of the revisions they come from at each level. */
export const COPIED_MAX = 64 * 1024 * 1024
const ERRORS_MAX = 1000

const within = (wanted: number | undefined, { usual, max }: { usual: number; max: number }): number =>
  Math.min(wanted || usual, max)

/** What contains an embed: revisions, and values selected from them. Nothing may contain itself. */
interface Ancestor {
  name: string
  parent: Ancestor | undefined
}

/** The level of an embed: its depth, and what contains it. */
interface Level {
  depth: number
  /** The text that needs it, of the document; undefined for an embed in the document itself or in an inserted value. */
  text: Spot | undefined
  ancestor: Ancestor | undefined
}

/** A text that is assembled when everything its tokens refer to is resolved. */
interface Text {
  spot: Spot
  pieces: (string | Insert)[]
}

/** An embed to replace. In object form `spot` is its own place, otherwise that of the text. */
interface Job extends Level {
  embed: Embed | EmbedFailure
  spot: Spot
  /** The token, for an embed in a text. */
  insert?: Insert
  isReplaced: boolean
}

/** A token of a text; `document` holds what it refers to, once that is known. */
interface Insert {
  token: Token
  job: Job
  document?: { data: Json }
  failure?: EmbedFailure
}

/**
 * Replaces every embed in the document, including embeds in the inserted values. An embed in object form becomes the
 * value that it selects in the stored data; embeds in that value are resolved next. An embed in a text needs complete
 * text, so what it refers to is resolved completely first. Embeds of the same depth are loaded together. `self` is the
 * revision that the document belongs to, which it cannot embed.
 *
 * With the policy `exception`, throws 404 if something is missing, otherwise 400.
 */
export async function resolveEmbeds(
  document: JsonObject,
  load: LoadEmbeds,
  { self, ...limits }: EmbedLimits & { self?: Uuid } = {},
): Promise<{ data: JsonObject; info: ResolutionInfo }> {
  const resolution = new Resolution(load, limits)
  const holder: { data: JsonObject } = { data: document }
  await resolution.run(holder, self)
  return { data: holder.data, info: resolution.info() }
}

/**
 * The state of one resolution: jobs level by level, then texts from the innermost outwards, since inner texts are part
 * of what the outer ones insert.
 */
class Resolution {
  readonly #targets: Targets
  readonly #depthMax: number
  readonly #policy: ErrorPolicy
  readonly #copies: CopyBudget = { left: COPIED_MAX }
  readonly #jobs: Job[] = []
  readonly #texts: Text[] = []
  readonly #errors: string[] = []
  #embedsLeft: number

  constructor(load: LoadEmbeds, { max_depth, max_embeds, error_policy = 'exception' }: EmbedLimits) {
    this.#targets = new Targets(load)
    this.#depthMax = within(max_depth, DEPTH)
    this.#embedsLeft = within(max_embeds, EMBEDS)
    this.#policy = error_policy
  }

  async run(holder: { data: JsonObject }, self: Uuid | undefined): Promise<void> {
    const ancestor = self === undefined ? undefined : { name: wholeOf(self), parent: undefined }
    const start: Level = { depth: 1, text: undefined, ancestor }
    let jobs = this.#note(plant(holder.data, { holder, at: 'data', depth: 0 }, this.#copies), start)
    while (jobs.length > 0) jobs = await this.#doLevel(jobs)
    for (const text of this.#texts.toReversed()) {
      await nextTurn()
      this.#finish(text)
    }
  }

  info(): ResolutionInfo {
    const replaced = this.#jobs.filter(job => job.isReplaced)
    return {
      references_used: replaced.filter(job => job.text === undefined).map(({ embed }) => (embed as Embed).written),
      depth_reached: replaced.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
      embeds_resolved: replaced.length,
      errors: this.#errors,
    }
  }

  /** Turns the places of a document into jobs, objects first. */
  #note({ objects, texts }: Places, level: Level): Job[] {
    const jobs: Job[] = objects.map(place => ({ ...level, ...place, isReplaced: false }))
    for (const { spot, pieces } of texts) {
      const text = {
        spot,
        pieces: pieces.map(piece => (typeof piece === 'string' ? piece : insertOf(piece, spot, level))),
      }
      this.#texts.push(text)
      for (const piece of text.pieces) if (typeof piece !== 'string') jobs.push(piece.job)
    }
    for (const job of jobs) this.#jobs.push(job)
    return jobs
  }

  /** Runs one level, whose targets are loaded together. Returns the jobs of the next level. */
  async #doLevel(jobs: readonly Job[]): Promise<Job[]> {
    const possible = jobs.filter(job => this.#mayStart(job))
    const found = await this.#targets.find(possible.map(job => job.embed as Embed))
    const next: Job[] = []
    for (const [n, job] of possible.entries()) {
      await nextTurn()
      for (const one of this.#do(job, found[n] as EmbedRevision | EmbedFailure)) next.push(one)
    }
    return next
  }

  #mayStart(job: Job): boolean {
    const failure = job.embed instanceof EmbedFailure ? job.embed : this.#limitOf(job)
    if (failure) this.#fail(job, failure)
    return failure === undefined
  }

  #limitOf({ depth }: Job): EmbedFailure | undefined {
    if (depth > this.#depthMax)
      return new EmbedFailure('MaxDepthExceededError', `Embeds are nested deeper than max_depth, ${this.#depthMax}.`)
    this.#embedsLeft--
    if (this.#embedsLeft < 0)
      return new EmbedFailure('MaxEmbedsExceededError', 'There are more embeds than max_embeds.')
    return undefined
  }

  #do(job: Job, found: EmbedRevision | EmbedFailure): Job[] {
    if (found instanceof EmbedFailure) return this.#fail(job, found)
    const ancestor = inside(job, found)
    if (isAmong(ancestor.name, job.ancestor))
      return this.#fail(job, new EmbedFailure('CircularEmbedError', 'The content embeds itself.'))
    const value = job.insert ? found.data : selected(found.data, job.embed as Embed)
    if (value instanceof EmbedFailure) return this.#fail(job, value)
    const spot = job.insert ? { holder: documentOf(job.insert), at: 'data', depth: 0 } : job.spot
    const places = plant(value, spot, this.#copies)
    job.isReplaced = true
    const text = job.text ?? (job.insert && job.spot)
    return this.#note(places, { depth: job.depth + 1, text, ancestor })
  }

  /** Assembles a text; everything its tokens refer to is complete at this point. */
  #finish({ spot, pieces }: Text): void {
    const texts = pieces.map(piece => (typeof piece === 'string' ? piece : this.#textOf(piece)))
    const failure = pieces.map(piece => (typeof piece === 'string' ? undefined : piece.failure)).find(Boolean)
    // In nested texts the innermost content is copied into each text around it.
    for (const text of texts) spend(this.#copies, text.length)
    put(spot, failure && this.#policy === 'placeholder' ? placeholder(failure) : texts.join(''))
  }

  #textOf(insert: Insert): string {
    if (!insert.document) return insert.token.source
    const value = selected(insert.document.data, insert.job.embed as Embed)
    if (typeof value === 'string') return value
    if (!(value instanceof EmbedFailure)) {
      // A path can select the same content again in each value around it.
      spendOn(value, this.#copies)
      return JSON.stringify(value)
    }
    insert.job.isReplaced = false
    this.#fail(insert.job, value)
    return insert.token.source
  }

  /** Applies the error policy. The job is then done. */
  #fail(job: Job, failure: EmbedFailure): never[] {
    const { spot, insert } = job
    if (this.#policy === 'exception') throw failure.of(described(job)).toProblem()
    if (insert) insert.failure = failure
    else if (this.#policy === 'placeholder') put(spot, placeholder(failure))
    if (this.#errors.length < ERRORS_MAX) this.#errors.push(failure.of(described(job)).toString())
    return []
  }
}

/** An embed in a message: its place in the document and what it refers to, `data.parameters.x (workflow.slug=tone)`. */
function described({ embed, spot, text = spot }: Job): string {
  const place = shown(pathOf(text))
  return embed instanceof EmbedFailure ? place : `${place} (${shown(writtenText(embed))})`
}

/** The value that an embed selects in a revision's data: complete data for an embed in a text, otherwise as stored. */
function selected(data: Json, { path, isSnippet }: Embed): Json | EmbedFailure {
  if (path === undefined) return data
  const start = isSnippet ? (isJsonObject(data) ? data.parameters : undefined) : data
  const value = start === undefined ? undefined : valueAtPath(start, path)
  return value === undefined ? new EmbedFailure('PathNotFoundError', `The embedded content has no '${path}'.`) : value
}

function insertOf(token: Token, spot: Spot, level: Level): Insert {
  const job: Job = { ...level, embed: token.embed, spot, isReplaced: false }
  const insert: Insert = { token, job }
  job.insert = insert
  return insert
}

function documentOf(insert: Insert): { data: Json } {
  insert.document = { data: null }
  return insert.document
}

/** What a job's value contains: the whole revision for a text, the selected part for an object. */
const inside = ({ insert, embed, ancestor }: Job, { id }: EmbedRevision): Ancestor => ({
  name: insert ? wholeOf(id) : JSON.stringify([id, (embed as Embed).path ?? '']),
  parent: ancestor,
})

const wholeOf = (id: Uuid): string => `${id} resolved`

function isAmong(name: string, ancestor: Ancestor | undefined): boolean {
  for (let one = ancestor; one; one = one.parent) if (one.name === name) return true
  return false
}

const placeholder = ({ name }: EmbedFailure): string => `<error:${name}>`
