import { isJsonObject, type Json, type JsonObject, parseUuid } from '@spanhouse/model'
import type { Reference, References } from '../references.ts'
import { EmbedFailure } from './failure.ts'

/** What an embed can point at: anything that is a workflow, and environments, through which more is reached. */
export const EMBEDDABLE = ['workflow', 'application', 'evaluator', 'environment'] as const
export type EmbeddableName = (typeof EMBEDDABLE)[number]

/** A revision that an embed wants. */
export interface EmbedTarget {
  kind: EmbeddableName
  references: References
}

/** One place where something from another revision is to stand. */
export interface Embed {
  /** As written, by entity; without what is null. */
  written: JsonObject
  target: EmbedTarget
  /** Into an environment's references. */
  key?: string
  /** Into the data; see `valueAtPath` of the runtime. */
  path?: string
  /** A snippet's path is one into the parameters, and an environment may have a single reference instead of a key. */
  isSnippet: boolean
}

const LAYERS = { '': 'artifact', _variant: 'variant', _revision: 'revision' } as const
const ENTITY = new RegExp(`^(${EMBEDDABLE.join('|')})(${Object.keys(LAYERS).join('|')})$`)

/** The references of one embed: all of one kind, at least one that names something. */
export function parseReferences(written: JsonObject): { written: JsonObject; target: EmbedTarget } | EmbedFailure {
  const kept: JsonObject = {}
  const references: References = {}
  const kinds = new Set<EmbeddableName>()
  for (const [entity, value] of Object.entries(written)) {
    const reference = value === null ? undefined : parseReference(entity, value)
    if (reference instanceof EmbedFailure) return reference
    if (!reference) continue
    const [, kind = '', layer = ''] = ENTITY.exec(entity) ?? []
    kinds.add(kind as EmbeddableName)
    references[LAYERS[layer as keyof typeof LAYERS]] = reference
    kept[entity] = { ...reference }
  }
  const [kind, other] = kinds
  if (kind === undefined) return new EmbedFailure('InvalidEmbedError', 'An embed names nothing that it embeds.')
  if (other !== undefined)
    return new EmbedFailure('MixedReferencesError', `An embed refers to ${kind} and ${other} at once.`)
  return { written: kept, target: { kind, references } }
}

/** Undefined for a reference without any member. */
function parseReference(entity: string, value: Json): Reference | EmbedFailure | undefined {
  if (!ENTITY.test(entity)) return new EmbedFailure('UnsupportedReferenceError', `'${entity}' cannot be embedded.`)
  if (!isJsonObject(value)) return malformed(`The reference to ${entity} is no object.`)
  const reference: Reference = {}
  for (const name of ['id', 'slug', 'version'] as const) {
    const text = value[name] ?? undefined
    if (text === undefined) continue
    const parsed = typeof text !== 'string' ? null : name === 'id' ? parseUuid(text) : text
    if (parsed === null) return malformed(`${entity}.${name} of an embed is malformed.`)
    reference[name] = parsed
  }
  return Object.keys(reference).length === 0 ? undefined : reference
}

const malformed = (message: string): EmbedFailure => new EmbedFailure('InvalidEmbedError', message)

/** The marker of the object form, and of the long form in text. */
export const MARKER = '@ag.embed'

/** The object form: what stands under the marker. */
export function parseEmbedObject(value: Json | undefined): Embed | EmbedFailure {
  const references = isJsonObject(value) ? value['@ag.references'] : undefined
  const selector = isJsonObject(value) ? (value['@ag.selector'] ?? {}) : {}
  if (!isJsonObject(references)) return malformed(`${MARKER} needs @ag.references.`)
  if (!isJsonObject(selector)) return malformed('@ag.selector is no object.')
  const { key = null, path = null } = selector
  if (![key, path].every(one => one === null || typeof one === 'string')) return malformed('key and path are texts.')
  const parsed = parseReferences(references)
  if (parsed instanceof EmbedFailure) return parsed
  return { ...parsed, ...optionalText('key', key), ...optionalText('path', path), isSnippet: false }
}

const optionalText = (name: 'key' | 'path', text: Json): { key?: string; path?: string } =>
  typeof text === 'string' ? { [name]: text } : {}
