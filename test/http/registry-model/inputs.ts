import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type Json, KINDS, type Kind, type Layer } from './model.ts'
import type { References } from './references.ts'
import { LAYERS, type World } from './world.ts'

/** Random parts of requests. Rows are chosen by a number, since which there are is known only when it is their turn. */

export const at = fc.nat({ max: 40 })
export const few = fc.nat({ max: 3 })
export const rarely = fc.nat({ max: 9 }).map(one => one === 0)
export const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 })

/** Few, so that they are often taken. */
export const slug = fc.constantFrom('a', 'b', 'c.d', 'A', '-x', '_y_')
const byName = (names: readonly string[]) =>
  fc.constantFrom(...names).map(name => KINDS.find(one => one.name === name) as Kind)
export const kind = byName(KINDS.map(({ name }) => name))
export const deployable = byName(['workflow', 'application', 'evaluator'])
export const layer = fc.constantFrom(...LAYERS)
export const order = fc.constantFrom(undefined, 'ascending', 'descending')
export const archiving = fc.constantFrom('archive', 'unarchive')

export const text = fc.constantFrom('one', 'Two', 'o%', 'Ünï', '')
export const partOfText = fc.constantFrom('o', 'TWO', '%', 'ü', '_')
export const tags = fc.constantFrom<Json>({ t: 'x' }, { t: 'y', u: true }, { t: { v: 'w' } }, {})
const ROLES = [{ is_snippet: true }, { is_application: true }, { is_evaluator: false }]
export const flags = fc.constantFrom<Json>({}, ...ROLES, { is_guarded: true }, { free: 'x' })
const meta = fc.constantFrom<Json>({ m: 1 }, { m: null }, { deep: [1, { a: null }] })
const labels = { name: text, description: text, flags, tags, meta }
export const header = fc.record(labels, { requiredKeys: [] })
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 4 })
const { name, description } = labels
const editable = { name: orNull(name), description: orNull(description), flags: orNull(flags), tags: orNull(tags) }
export const editedHeader = fc.record({ ...editable, meta: orNull(meta) }, { requiredKeys: [] })
/** The place of a folder; -1 for none, beyond the last for an unknown one. */
export const folder = maybe(fc.integer({ min: -1, max: 2 }))
export const content = fc.record({ shape: few, value: few })

/** Which row a reference is to, and which members it has. */
const row = fc.record({ at, by: fc.constantFrom('id', 'slug', 'both', 'another slug'), isUnknown: rarely })
const version = fc.record({ version: fc.constantFrom('0', '1', '2', '7', '01', 'x') })
export const reference = row
export const revisionReference = fc.oneof(row, version)
export const references = fc.record({ artifact: row, variant: row, revision: revisionReference }, { requiredKeys: [] })

/** A reference as it is sent. */
export function sentReference(world: World, of: Kind, layer: Layer, chosen: Json): Json {
  if (chosen === undefined || chosen.version !== undefined) return chosen
  const found = world.pick(of, layer, chosen.at)
  if (chosen.isUnknown || !found) return chosen.by === 'slug' ? { slug: 'nothing' } : { id: randomUUID() }
  const { id, slug } = found
  const forms: Record<string, Json> = { id: { id }, slug: { slug }, both: { id, slug } }
  return forms[chosen.by] ?? { id, slug: 'nothing' }
}

export const sentReferences = (world: World, of: Kind, chosen: Json): References =>
  Object.fromEntries(LAYERS.map(layer => [layer, sentReference(world, of, layer, chosen[layer])]))

/** A folder's id as it is sent. */
export const sentFolder = ({ folders, unknown }: World, at: number | undefined): string | null | undefined =>
  at === undefined ? undefined : at < 0 ? null : (folders[at] ?? unknown)
