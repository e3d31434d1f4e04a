import { isJsonObject, type Json, type JsonObject, nextTurn, Problem, type Uuid } from '@spanhouse/model'
import { type Embed, type EmbedTarget, parseReferences } from './embed.ts'
import { EmbedFailure } from './failure.ts'

/** The part of a revision that embeds use. */
export interface EmbedRevision {
  id: Uuid
  data: JsonObject | null
}

/**
 * Loads the targets, in their order: undefined if nothing is found, a Problem if the references are invalid. Called
 * once or twice per level of embeds, never for a single embed.
 */
export type LoadEmbeds = (targets: readonly EmbedTarget[]) => Promise<(EmbedRevision | Problem | undefined)[]>

type Found = EmbedRevision | EmbedFailure

/** The targets of all embeds of one resolution, each loaded once. */
export class Targets {
  readonly #load: LoadEmbeds
  readonly #loaded = new Map<string, Found>()

  constructor(load: LoadEmbeds) {
    this.#load = load
  }

  /** The revisions that embeds refer to, in order; through an environment if the embed has a key. */
  async find(embeds: readonly Embed[]): Promise<Found[]> {
    const first = await this.#loadAll(embeds.map(embed => embed.target))
    const onward: (EmbedTarget | EmbedFailure | undefined)[] = []
    for (const [n, found] of first.entries()) {
      await nextTurn()
      onward.push(onwardTarget(found, embeds[n] as Embed))
    }
    const further = await this.#loadAll(onward.filter(isTarget))
    const byTarget = new Map(onward.filter(isTarget).map((target, n) => [target, further[n] as Found]))
    return first.map((found, n) => {
      const target = onward[n]
      return isTarget(target) ? (byTarget.get(target) as Found) : (target ?? found)
    })
  }

  async #loadAll(targets: readonly EmbedTarget[]): Promise<Found[]> {
    const missing = new Map(targets.map(target => [JSON.stringify(target), target]))
    for (const key of this.#loaded.keys()) missing.delete(key)
    const candidates = [...missing].map(([key, target]) => ({ key, all: candidatesOf(target) }))
    const all = candidates.flatMap(one => one.all)
    const answers = all.length === 0 ? [] : await this.#load(all)
    let at = 0
    for (const one of candidates) {
      this.#loaded.set(one.key, chosen(answers.slice(at, at + one.all.length)))
      at += one.all.length
    }
    return targets.map(target => this.#loaded.get(JSON.stringify(target)) as Found)
  }
}

/** A slug with a version may name a revision, by the slug itself or with the version appended, or else an artifact. */
function candidatesOf(target: EmbedTarget): EmbedTarget[] {
  const { kind, references } = target
  const { id, slug, version } = references.revision ?? {}
  if (id !== undefined || slug === undefined || version === undefined) return [target]
  return [
    target,
    { kind, references: { revision: { slug: `${slug}-${version}` } } },
    { kind, references: { artifact: { slug }, revision: { version } } },
  ]
}

function chosen(answers: readonly (EmbedRevision | Problem | undefined)[]): Found {
  const problem = answers.find(answer => answer instanceof Problem)
  const found = answers.find(answer => answer !== undefined && !(answer instanceof Problem))
  if (found) return found as EmbedRevision
  if (problem) return new EmbedFailure('InvalidEmbedError', problem.message)
  return new EmbedFailure('EmbedNotFoundError', 'The target of the embed does not exist.')
}

/** The target of an environment's key; undefined if the embed refers to the found revision itself. */
function onwardTarget(found: Found, { target, key, isSnippet }: Embed): EmbedTarget | EmbedFailure | undefined {
  if (found instanceof EmbedFailure || target.kind !== 'environment') return undefined
  if (key === undefined && !isSnippet) return undefined
  const entries = isJsonObject(found.data?.references) ? found.data.references : {}
  const entry = key === undefined ? soleEntry(entries) : entryAt(entries, key)
  if (!isJsonObject(entry)) return missingKey(key)
  const workflow = ['application', 'workflow', 'evaluator'].find(name =>
    namesOf(name).some(one => isUseful(entry[one])),
  )
  if (!workflow) return missingKey(key)
  const parsed = parseReferences(Object.fromEntries(namesOf(workflow).map(name => [name, entry[name] ?? null])))
  return parsed instanceof EmbedFailure ? parsed : parsed.target
}

const namesOf = (name: string): string[] => [name, `${name}_variant`, `${name}_revision`]

const isUseful = (reference: Json | undefined): boolean =>
  isJsonObject(reference) && (typeof reference.id === 'string' || typeof reference.slug === 'string')

function soleEntry(entries: JsonObject): Json | undefined {
  const all = Object.values(entries)
  return all.length === 1 ? all[0] : undefined
}

/** The entry with that name; or, in nested objects, at that dotted path; or the entry whose variant has that slug. */
function entryAt(entries: JsonObject, key: string): Json | undefined {
  if (Object.hasOwn(entries, key)) return entries[key]
  const nested = key.split('.').reduce<Json | undefined>((value, step) => {
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }, entries)
  return nested ?? Object.values(entries).find(entry => variantSlugOf(entry) === key)
}

function variantSlugOf(entry: Json): Json | undefined {
  const variant = isJsonObject(entry) ? entry.application_variant : undefined
  return isJsonObject(variant) ? variant.slug : undefined
}

const missingKey = (key: string | undefined): EmbedFailure =>
  key === undefined
    ? new EmbedFailure(
        'InvalidEmbedError',
        'An embed of an environment must have a key unless the environment has exactly one reference.',
      )
    : new EmbedFailure('EmbedNotFoundError', `The embedded environment has nothing under the key '${key}'.`)

const isTarget = (one: EmbedTarget | EmbedFailure | undefined): one is EmbedTarget =>
  one !== undefined && !(one instanceof EmbedFailure)
