import { isJsonObject, type Json, type JsonObject, nextTurn, type Uuid } from '@spanhouse/model'
import { valueAtPath } from '@spanhouse/runtime'
import type { Embed } from './embed.ts'
import { EmbedFailure } from './failure.ts'
import { type CopyBudget, type Places, plant, put, type Spot, spend, spendOn } from './places.ts'
import { type EmbedRevision, type LoadEmbeds, Targets } from './targets.ts'
import type { Token } from './tokens.ts'

/** What becomes of an embed that cannot be replaced: the whole fails, it is marked, or it stays. */
export const ERROR_POLICIES = ['exception', 'placeholder', 'keep'] as const
export type ErrorPolicy = (typeof ERROR_POLICIES)[number]

export interface EmbedLimits {
  /** Levels of embeds inside embeds; 10 when it is 0 or left out, never more than 100. */
  max_depth?: number
  /** Embeds altogether; 100 when it is 0 or left out, never more than 1,000. */
  max_embeds?: number
  error_policy?: ErrorPolicy
}

/** `resolution_info`: what was replaced. References are those of the document's own embeds, as they are written. */
export type ResolutionInfo = {
  references_used: JsonObject[]
  depth_reached: number
  embeds_resolved: number
  errors: string[]
}

const DEPTH = { usual: 10, max: 100 }
const EMBEDS = { usual: 100, max: 1000 }
/** What is put in altogether, and what the revisions hold that it comes from, level by level. */
export const COPIED_MAX = 64 * 1024 * 1024
const ERRORS_MAX = 1000

const within = (wanted: number | undefined, { usual, max }: { usual: number; max: number }): number =>
  Math.min(wanted || usual, max)

/** What an embed stands inside of: revisions, and what of them was put in. Nothing may be put into itself. */
interface Ancestor {
  name: string
  parent: Ancestor | undefined
}

/** Where an embed is found: in the document itself or in what was put in for it, how deep, and inside of what. */
interface Level {
  depth: number
  isOuter: boolean
  ancestor: Ancestor | undefined
}

/** A text that is put together when all that its tokens lead to is resolved. */
interface Text {
  spot: Spot
  pieces: (string | Insert)[]
}

/** One embed to be replaced, in object form where `spot` is its own, in a text otherwise. */
interface Job extends Level {
  embed: Embed | EmbedFailure
  spot: Spot
  /** The token, for an embed in a text. */
  insert?: Insert
  isReplaced: boolean
}

/** A token of a text; `document` is what it leads to, in a holder of its own, once that is known. */
interface Insert {
  token: Token
  job: Job
  document?: { data: Json }
  failure?: EmbedFailure
}

/**
 * The document with every embed in it replaced, and in what is put in too. An embed in object form becomes the value it
 * selects in the data as stored; embeds in that value come next. An embed in a text needs finished text: what it leads
 * to is resolved completely first. Embeds of one depth are loaded together. `self` is the revision that the document
 * belongs to, which it cannot embed.
 *
 * Throws with the policy `exception` 404 for what is missing, 400 for anything else.
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
 * The state of one resolution: jobs level by level, then the texts from the innermost out, since those inside are part
 * of what those around them insert.
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
    const start: Level = { depth: 1, isOuter: true, ancestor }
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
      references_used: replaced.filter(job => job.isOuter).map(({ embed }) => (embed as Embed).written),
      depth_reached: Math.max(0, ...replaced.map(job => job.depth)),
      embeds_resolved: replaced.length,
      errors: this.#errors,
    }
  }

  /** Turns the places of a document into jobs, the objects first. */
  #note({ objects, texts }: Places, level: Level): Job[] {
    const jobs: Job[] = objects.map(place => ({ ...level, ...place, isReplaced: false }))
    for (const { spot, pieces } of texts) {
      const text = {
        spot,
        pieces: pieces.map(piece => (typeof piece === 'string' ? piece : insertOf(piece, spot, level))),
      }
      this.#texts.push(text)
      jobs.push(...text.pieces.filter(piece => typeof piece !== 'string').map(insert => insert.job))
    }
    this.#jobs.push(...jobs)
    return jobs
  }

  /** One level: what it wants is loaded at once. Returns the jobs of the next. */
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
      return new EmbedFailure('MaxDepthExceededError', `Embeds go deeper than max_depth, ${this.#depthMax}.`)
    this.#embedsLeft--
    if (this.#embedsLeft < 0)
      return new EmbedFailure('MaxEmbedsExceededError', 'There are more embeds than max_embeds.')
    return undefined
  }

  #do(job: Job, found: EmbedRevision | EmbedFailure): Job[] {
    if (found instanceof EmbedFailure) return this.#fail(job, found)
    const ancestor = inside(job, found)
    if (isAmong(ancestor.name, job.ancestor))
      return this.#fail(job, new EmbedFailure('CircularEmbedError', 'Something embeds itself.'))
    const value = job.insert ? found.data : selected(found.data, job.embed as Embed)
    if (value instanceof EmbedFailure) return this.#fail(job, value)
    const spot = job.insert ? { holder: documentOf(job.insert), at: 'data', depth: 0 } : job.spot
    const places = plant(value, spot, this.#copies)
    job.isReplaced = true
    return this.#note(places, { depth: job.depth + 1, isOuter: job.isOuter && !job.insert, ancestor })
  }

  /** Puts a text together; what its tokens lead to is complete now. */
  #finish({ spot, pieces }: Text): void {
    const texts = pieces.map(piece => (typeof piece === 'string' ? piece : this.#textOf(piece)))
    const failure = pieces.map(piece => (typeof piece === 'string' ? undefined : piece.failure)).find(Boolean)
    // Where texts are inside of each other, what is in the innermost is copied into each of them.
    for (const text of texts) spend(this.#copies, text.length)
    put(spot, failure && this.#policy === 'placeholder' ? placeholder(failure) : texts.join(''))
  }

  #textOf(insert: Insert): string {
    if (!insert.document) return insert.token.source
    const value = selected(insert.document.data, insert.job.embed as Embed)
    if (typeof value === 'string') return value
    if (!(value instanceof EmbedFailure)) {
      // A path can select the same over and over, in each of the values around it.
      spendOn(value, this.#copies)
      return JSON.stringify(value)
    }
    insert.job.isReplaced = false
    this.#fail(insert.job, value)
    return insert.token.source
  }

  /** Acts as the policy says; there is nothing more to do for the job then. */
  #fail({ spot, insert }: Job, failure: EmbedFailure): never[] {
    if (this.#policy === 'exception') throw failure.toProblem()
    if (insert) insert.failure = failure
    else if (this.#policy === 'placeholder') put(spot, placeholder(failure))
    if (this.#errors.length < ERRORS_MAX) this.#errors.push(`${failure.name}: ${failure.message}`)
    return []
  }
}

/** What an embed selects of a revision's data; `data` is complete for an embed in a text, and as stored otherwise. */
function selected(data: Json, { path, isSnippet }: Embed): Json | EmbedFailure {
  if (path === undefined) return data
  const start = isSnippet ? (isJsonObject(data) ? data.parameters : undefined) : data
  const value = start === undefined ? undefined : valueAtPath(start, path)
  return value === undefined ? new EmbedFailure('PathNotFoundError', `What is embedded has no '${path}'.`) : value
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

/** What is inside of a job's value: of a text's the whole revision, of an object's what it selects. */
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
