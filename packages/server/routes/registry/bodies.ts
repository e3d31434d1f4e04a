import { defined, invalid, type Problem, unprocessable } from '@spanhouse/model'
import { KINDS, type Kind, type Layer, type Reference, type References } from '@spanhouse/registry'
import { optional, reference, referenceList, slug, storedObject, tags, uuid, z } from '@spanhouse/validation'

const SUFFIX: Record<Layer, string> = { artifact: '', variant: '_variant', revision: '_revision' }

/** The name of a kind's layer in the keys of bodies: `application`, `application_variant`, ... */
export const nameOf = ({ name }: Kind, layer: Layer): string => `${name}${SUFFIX[layer]}`

/** As in a sentence: `an application`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/** All names of a layer, the kind's own first: an application may be called a workflow. */
const namesOf = ({ lineage }: Kind, layer: Layer): string[] => lineage.map(name => `${name}${SUFFIX[layer]}`)

const shape = <S extends z.ZodType>(names: readonly string[], schema: S): Record<string, S> =>
  Object.fromEntries(names.map(name => [name, schema]))

/** The id of a parent under each of its names, and the value that was sent; see {@link pick}. */
export function idMembers(kind: Kind, layer: Layer) {
  const names = [...namesOf(kind, layer), layer].map(name => `${name}_id`)
  return {
    members: shape(names, optional(uuid)),
    pick: (body: object): string | undefined => pick(body, names) as string | undefined,
  }
}

/** The value of a member with several names. Throws a 400 if it was sent under two of them with different values. */
function pick(body: object, names: readonly string[]): unknown {
  const values = body as Record<string, unknown>
  const sent = names.filter(name => values[name] !== undefined)
  const [name = sent[0], ...others] = sent.filter(one => !EMPTY.includes(JSON.stringify(values[one])))
  if (name === undefined) return undefined
  const other = others.find(one => !isSame(values[one], values[name]))
  if (other !== undefined) throw invalid(`${name} contradicts ${other}: they are two names of the same member`)
  return values[name]
}

/** A reference without members, and a list without references, say nothing. */
const EMPTY = ['{}', '[]']

const booleans = (names: readonly string[]) => z.object(shape(names, optional(z.boolean())))

/** Unsupported flags are dropped, whatever they are. */
const flagsOf = (kind: Kind, layer: Layer) => {
  if (layer !== 'artifact') return storedObject
  return booleans(kind.artifactFlags).transform(defined)
}

/** The labels of an entity to be created. */
export const newHeader = (kind: Kind, layer: Layer) => ({
  name: optional(z.string()),
  description: optional(z.string()),
  flags: optional(flagsOf(kind, layer)),
  tags: optional(tags),
  meta: optional(storedObject),
})

/** The labels of an existing entity: null clears, omitted members stay unchanged. */
export const editedHeader = (kind: Kind, layer: Layer) => ({
  id: optional(uuid),
  name: z.string().nullish(),
  description: z.string().nullish(),
  flags: flagsOf(kind, layer).nullish(),
  tags: tags.nullish(),
  meta: storedObject.nullish(),
})

export const newSlugMember = { slug }
export const optionalSlugMember = { slug: optional(slug) }

/** A body with a single member that contains everything. */
export const wrapped = <S extends z.ZodType>(name: string, schema: S) =>
  z.object({ [name]: schema }).transform(body => body[name] as z.output<S>)

/**
 * A body whose single member has two names. Both may be sent if they are equal. Further members are beside it. The
 * result carries the name that was used, for error locations.
 */
export function wrappedEither<S extends z.ZodType, M extends z.ZodRawShape>(
  names: readonly [string, string],
  schema: S,
  more: M,
) {
  const [first, second] = names
  return z
    .object({ [first]: schema.nullish(), [second]: schema.nullish(), ...more })
    .transform((body: Record<string, unknown>, context) => {
      const given = names.filter(name => body[name] !== undefined && body[name] !== null)
      const wrapper = given[0] ?? first
      if (given.length === 0)
        context.addIssue({ code: 'custom', params: { type: 'missing' }, message: 'Field required', path: [first] })
      if (given.length === 2 && !isSame(body[first], body[second]))
        context.addIssue({ code: 'custom', message: `Differs from ${first}`, path: [second] })
      return { wrapper, value: body[wrapper] as z.output<S>, rest: body as z.output<z.ZodObject<M>> }
    })
}

/** A delta is parsed into a function, so two of them cannot be compared. */
const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) && (a as { delta?: unknown }).delta === undefined

/** References to the three layers, under each name of the kind; `environment_ref` and so on for an environment. */
export function referenceMembers(kind: Kind) {
  const names = (layer: Layer) => namesOf(kind, layer).map(name => `${name}_ref`)
  const layers = ['artifact', 'variant', 'revision'] as const
  return {
    members: shape(layers.flatMap(names), optional(reference)),
    pick: (body: object): References =>
      Object.fromEntries(layers.map(layer => [layer, pick(body, names(layer)) as Reference | undefined])),
  }
}

/** Lists of references to entities of these layers, under each name of the kind. */
export function referenceListMembers(kind: Kind, layers: readonly Layer[]) {
  const names = (layer: Layer) => namesOf(kind, layer).map(name => `${name}_refs`)
  return {
    members: shape(layers.flatMap(names), optional(referenceList)),
    pick: (body: object): { [layer in `${Layer}_refs`]?: Reference[] } =>
      Object.fromEntries(layers.map(layer => [`${layer}_refs`, pick(body, names(layer)) as Reference[] | undefined])),
  }
}

/**
 * What identifies a revision: references to it, or to an environment and a key in it if the kind can be deployed. An
 * empty key counts as none.
 */
export function retrievalMembers(kind: Kind) {
  const references = referenceMembers(kind)
  const environment = referenceMembers(KINDS.environment)
  return {
    members: {
      ...references.members,
      ...(kind.deployable ? { ...environment.members, key: optional(z.string()) } : {}),
    } as z.ZodRawShape,
    pick: (body: object): { references: References; environment: References; key?: string } => ({
      references: references.pick(body),
      environment: kind.deployable ? environment.pick(body) : {},
      key: (body as { key?: string }).key || undefined,
    }),
  }
}

/** A 422 for a required member with several names, none of which was sent. */
export const missing = (loc: string[]): Problem =>
  unprocessable({ type: 'missing', loc, msg: 'Field required', input: null })
