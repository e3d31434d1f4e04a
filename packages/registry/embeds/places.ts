import { invalid, isJsonObject, type Json, type JsonObject, type Problem } from '@spanhouse/model'
import { type Embed, MARKER, parseEmbedObject } from './embed.ts'
import { type EmbedFailure, shown } from './failure.ts'
import { type Token, tokensOf } from './tokens.ts'

/** A place in a document where a value can be put. */
export interface Spot {
  holder: JsonObject | Json[]
  at: string | number
  /** Levels below the root of its document. */
  depth: number
  /** The place of what it is in. */
  parent?: Spot
}

/** An embed in object form, and its place. */
export interface ObjectPlace {
  spot: Spot
  embed: Embed | EmbedFailure
}

/** A text with tokens, and its place. */
export interface TextPlace {
  spot: Spot
  pieces: (string | Token)[]
}

export interface Places {
  objects: ObjectPlace[]
  texts: TextPlace[]
}

/** What may still be copied, over all documents of one resolution: the characters of texts, and 8 for every value. */
export interface CopyBudget {
  left: number
}

const DEPTH_MAX = 512
const VALUE_COST = 8

/**
 * Puts a copy of a value into a place, and returns the places of embeds in the copy. Throws a 400 if the copies become
 * too large or the value is too deep.
 */
export function plant(value: Json, spot: Spot, budget: CopyBudget): Places {
  const places: Places = { objects: [], texts: [] }
  copyInto(spot, value, { places, budget })
  return places
}

/** Takes from the budget. Throws a 400 if it is exhausted. */
export function spend(budget: CopyBudget, cost: number): void {
  budget.left -= cost
  if (budget.left < 0) throw tooMuch()
}

/** Takes as much as a copy of the whole value would, without making a copy. */
export function spendOn(value: Json, budget: CopyBudget): void {
  spend(budget, costOf(value))
  const members = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  for (const member of members) spendOn(member, budget)
}

const costOf = (value: Json): number => (typeof value === 'string' ? value.length + VALUE_COST : VALUE_COST)

const tooMuch = (): Problem => invalid('The embedded content is too large or too deeply nested.')

interface Copying {
  places: Places
  budget: CopyBudget
}

function copyInto(spot: Spot, value: Json, copying: Copying): void {
  spend(copying.budget, costOf(value))
  if (spot.depth > DEPTH_MAX) throw tooMuch()
  if (Array.isArray(value)) copyMembers(put(spot, []), value.entries(), spot, copying)
  else if (!isJsonObject(value)) put(spot, value)
  else if (Object.hasOwn(value, MARKER))
    copying.places.objects.push({ spot, embed: parseEmbedObject(put(spot, value)[MARKER]) })
  else copyMembers(put(spot, {}), Object.entries(value), spot, copying)
  if (typeof value === 'string') noteText(spot, value, copying)
}

function copyMembers(
  holder: JsonObject | Json[],
  members: Iterable<[string | number, Json]>,
  parent: Spot,
  copying: Copying,
): void {
  const depth = parent.depth + 1
  for (const [at, member] of members) copyInto({ holder, at, depth, parent }, member, copying)
}

function noteText(spot: Spot, text: string, { places }: Copying): void {
  const pieces = tokensOf(text)
  if (pieces) places.texts.push({ spot, pieces })
}

/** The dotted path to a place, from the name of its document: `data.parameters.prompt`. */
export function pathOf(spot: Spot): string {
  const steps: string[] = []
  for (let one: Spot | undefined = spot; one; one = one.parent) steps.unshift(shown(String(one.at)))
  return steps.join('.')
}

/** Defines the member by any name, including `__proto__`. */
export function put<T extends Json>({ holder, at }: Spot, value: T): T {
  if (at !== '__proto__') (holder as Record<string | number, Json>)[at] = value
  else Object.defineProperty(holder, at, { value, writable: true, enumerable: true, configurable: true })
  return value
}
