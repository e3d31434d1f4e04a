import { isJsonObject, type Json, type JsonObject, parseUuid } from '@spanhouse/model'
import type { Reference, References } from '../references.ts'
import { EmbedFailure, shown } from './failure.ts'

/** What can be embedded: workflows of every role, and environments, which lead to other revisions. */
const EMBEDDABLE = ['workflow', 'application', 'evaluator', 'environment'] as const
export type EmbeddableName = (typeof EMBEDDABLE)[number]

/** The revision that an embed refers to. */
export interface EmbedTarget {
  kind: EmbeddableName
  references: References
}

/** A place to be replaced by content from another revision. */
export interface Embed {
  /** As written, by entity; without what is null. */
  written: JsonObject
  target: EmbedTarget
  /** The key in an environment's references. */
  key?: string
  /** The path in the data; see `valueAtPath` of the runtime. */
  path?: string
  /** A snippet's path is relative to the parameters, and it needs no key in an environment with a single reference. */
  isSnippet: boolean
}

/** The references and the key as a token has them: `workflow.slug=tone, workflow_revision.version=3`. */
export function writtenText({ written, key }: Embed): string {
  const members = Object.entries(written).flatMap(([entity, reference]) =>
    Object.entries(reference as Reference).map(([name, value]) => `${entity}.${name}=${shown(value)}`),
  )
  return [...members, ...(key === undefined ? [] : [`key=${shown(key)}`])].join(', ')
}

const LAYERS = { '': 'artifact', _variant: 'variant', _revision: 'revision' } as const
const ENTITY = new RegExp(`^(${EMBEDDABLE.join('|')})(${Object.keys(LAYERS).join('|')})$`)

/** The references of one embed: all of one kind, and at least one that identifies something. */
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
  if (kind === undefined) return new EmbedFailure('InvalidEmbedError', 'An embed must contain at least one reference.')
  if (other !== undefined)
    return new EmbedFailure('MixedReferencesError', `An embed must not refer to both ${kind} and ${other}.`)
  return { written: kept, target: { kind, references } }
}

/** Undefined for a reference without members. */
function parseReference(entity: string, value: Json): Reference | EmbedFailure | undefined {
  if (!ENTITY.test(entity)) return new EmbedFailure('UnsupportedReferenceError', `'${entity}' cannot be embedded.`)
  if (!isJsonObject(value)) return malformed(`The reference to ${entity} must be an object.`)
  const reference: Reference = {}
  for (const name of ['id', 'slug', 'version'] as const) {
    const text = value[name] ?? undefined
    if (text === undefined) continue
    const parsed = typeof text !== 'string' ? null : name === 'id' ? parseUuid(text) : text
    if (parsed === null) return malformed(`${entity}.${name} of an embed is not valid.`)
    reference[name] = parsed
  }
  return Object.keys(reference).length === 0 ? undefined : reference
}

const malformed = (message: string): EmbedFailure => new EmbedFailure('InvalidEmbedError', message)

/** The marker of the object form, and of the long form in text. */
export const MARKER = '@ag.embed'

/** Parses the object form: the value of the marker. */
export function parseEmbedObject(value: Json | undefined): Embed | EmbedFailure {
  const references = isJsonObject(value) ? value['@ag.references'] : undefined
  const selector = isJsonObject(value) ? (value['@ag.selector'] ?? {}) : {}
  if (!isJsonObject(references)) return malformed(`${MARKER} must contain @ag.references.`)
  if (!isJsonObject(selector)) return malformed('@ag.selector must be an object.')
  const { key = null, path = null } = selector
  if (![key, path].every(one => one === null || typeof one === 'string'))
    return malformed('key and path must be strings.')
  const parsed = parseReferences(references)
  if (parsed instanceof EmbedFailure) return parsed
  return { ...parsed, ...optionalText('key', key), ...optionalText('path', path), isSnippet: false }
}

const optionalText = (name: 'key' | 'path', text: Json): { key?: string; path?: string } =>
  typeof text === 'string' ? { [name]: text } : {}
