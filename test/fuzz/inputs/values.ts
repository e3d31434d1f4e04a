import type { World } from '../world.ts'
import type { Schema } from './operations.ts'
import { filtering, specs, time, windowing } from './questions.ts'
import type { Random } from './random.ts'

/** What values are made for: ids and filters mean something only in a world. */
export interface Context {
  random: Random
  world: World
  /** Takes the ids of records that may go. */
  isDestructive: boolean
}

/** Names of the members on the way to a value, outermost first. */
type Way = readonly string[]

/** A value that the schema allows, and that the server can find something for where it names a record. */
export function valueFor(schema: Schema, context: Context, way: Way = []): unknown {
  const { random } = context
  const named = schema.enum ? undefined : namedFor(way.at(-1) ?? '', schema)
  if (named) return named(context, way, schema)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Schema[] | undefined
  if (choices) return valueFor(chosen(choices, random), context, way)
  const types = [schema.type ?? 'any'].flat().filter(type => type !== 'null' || random.chance(0.05))
  const make = TYPES[random.pick(types) ?? 'null'] ?? TYPES.any
  return (make as Make)(schema, context, way)
}

/** `null` is seldom chosen where there is something else. */
function chosen(choices: readonly Schema[], random: Random): Schema {
  const real = choices.filter(one => one.type !== 'null')
  return random.pick(real.length > 0 && !random.chance(0.05) ? real : choices)
}

type Make = (schema: Schema, context: Context, way: Way) => unknown

const TYPES: Record<string, Make> = {
  null: () => null,
  boolean: (_schema, { random }) => random.chance(0.5),
  integer: (schema, { random }) => numberIn(schema, random, 1),
  number: (schema, { random }) => numberIn(schema, random, 0.5),
  string: text,
  array: (schema, context, way) => {
    const length = Math.min(schema.maxItems ?? 3, Math.max(schema.minItems ?? 0, context.random.pick([1, 1, 1, 2, 0])))
    const item = (schema.items ?? schema.prefixItems?.[0] ?? {}) as Schema
    return Array.from({ length }, () => valueFor(item, context, way))
  },
  object: record,
  any: (_schema, { random }) => anything(random),
}

function numberIn({ minimum, maximum, exclusiveMinimum }: Schema, random: Random, step: number): number {
  const low = Math.max(minimum ?? exclusiveMinimum ?? 0, -1000)
  const high = Math.min(maximum ?? 1000, low + 1000)
  return low + (exclusiveMinimum === undefined ? 0 : step) + random.below(Math.max(1, high - low))
}

function text(schema: Schema, context: Context, way: Way): unknown {
  const { random } = context
  if (schema.format === 'uuid') return idFor(way, context)
  if (schema.format === 'date-time') return '2026-11-01T00:00:00Z'
  const word = `f${random.hex(7)}`
  return schema.maxLength ? word.slice(0, schema.maxLength) : word.padEnd(schema.minLength ?? 0, 'x')
}

function record(schema: Schema, context: Context, way: Way): unknown {
  const { random } = context
  const properties = Object.entries<Schema>(schema.properties ?? {})
  if (isReference(schema) && random.chance(0.8)) return { id: idFor([...way, 'id'], context) }
  const result: Record<string, unknown> = {}
  for (const [name, member] of properties)
    if (schema.required?.includes(name) || random.chance(shareOf(name, way)))
      result[name] = valueFor(member, context, [...way, name])
  if (schema.additionalProperties && properties.length === 0)
    for (let count = random.below(3); count > 0; count--)
      result[`k${count}`] =
        schema.additionalProperties === true
          ? anything(random)
          : valueFor(schema.additionalProperties, context, [...way, `k${count}`])
  return result
}

/** A record can be named in several ways, of which one is enough and some exclude each other. */
const isReference = ({ properties = {} }: Schema): boolean =>
  'id' in properties && ['version', 'ref'].some(name => name in properties)

/** How often a member that is not required is there. */
function shareOf(name: string, way: Way): number {
  if (way.length > 0) return 0.35
  // Another name for a different member.
  if (name.endsWith('_commit')) return 0.05
  return REFERENCE_SUFFIX.test(name) ? 0.35 : 0.8
}

/** Some small JSON. */
export function anything(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 2 ? 5 : 8)
  if (kind < 5) return [1, 'text', true, null, 0.5][kind]
  if (kind === 5) return Array.from({ length: random.below(3) }, () => anything(random, depth + 1))
  return Object.fromEntries(Array.from({ length: random.below(3) }, (_, at) => [`m${at}`, anything(random, depth + 1)]))
}

/** An id of the kind that the way to it names; a few are somebody else's, a few nobody's. */
export function idFor(way: Way, { random, world, isDestructive }: Context): string {
  const source = random.below(40)
  if (source === 0) return random.uuid()
  const pool = source === 1 ? world.foreign : isDestructive ? world.spare : world.kept
  const some = pool[kindOf(way)] ?? world.kept[kindOf(way)] ?? pool.workflow ?? []
  // Mostly the same one, so that a body and its path are about the same record.
  return (random.chance(0.8) && !isDestructive ? some[0] : random.pick(some)) ?? random.uuid()
}

const ID_SUFFIX = /_?ids?$/
const REFERENCE_SUFFIX = /_refs?$|_reference$/

/** Names of members that stand for another name. */
const SYNONYMS: Record<string, string> = {
  owner: 'user',
  source: 'user',
  target: 'user',
  parent: 'folder',
  author: 'user',
}

/** `['application_variant_ref', 'id']` → `application_variant`; `['user_id']` → `user`. */
function kindOf(way: Way): string {
  const name = (way.at(-1) ?? '').replace(ID_SUFFIX, '')
  const outer = (way.at(-2) ?? '').replace(REFERENCE_SUFFIX, '').replace(/_commit$/, '')
  const artifact = outer.replace(/_revisions?$|_variants?$/, '')
  if (name === 'artifact') return artifact
  if (name === 'variant' || name === 'revision') return `${artifact}_${name}`
  if (name === 'base_revision') return `${artifact}_revision`
  const kind = name || outer
  return SYNONYMS[kind] ?? kind
}

type Named = (context: Context, way: Way, schema: Schema) => unknown

const listed =
  (one: Named): Named =>
  (context, way, schema) =>
    Array.from({ length: context.random.between(1, 3) }, () => one(context, way, schema))

/** A new one, or in a reference that of a kept record. */
const slug: Named = ({ random }, way) => {
  const outer = way.at(-2) ?? way.at(-1) ?? ''
  return REFERENCE_SUFFIX.test(outer) ? `kept-${outer.replace(REFERENCE_SUFFIX, '')}` : `f-${random.hex(10)}`
}

const id: Named = (context, way) => idFor(way, context)

const email: Named = ({ random, world, isDestructive }) =>
  random.chance(0.7)
    ? random.pick(isDestructive ? world.emails.spare : world.emails.kept)
    : `${random.hex(8)}@fuzz.test`

const account: Named = context => ({ a: { user: { email: email(context, [], {}) } } })

/** By the name, or its ending. Members that the schema describes are not listed. */
function namedFor(name: string, schema: Schema): Named | undefined {
  if ([schema.type].flat().includes('boolean')) return undefined
  if (VAGUE[name]) return isDescribed(schema) ? undefined : VAGUE[name]
  if (NAMED[name]) return NAMED[name]
  if (name.endsWith('_ids')) return listed(id)
  if (name.endsWith('_id')) return id
  if (name.endsWith('_slugs')) return listed(slug)
  return name.endsWith('_slug') ? slug : undefined
}

const isDescribed = (schema: Schema): boolean => JSON.stringify(schema).includes('"properties":{"')

/** As {@link NAMED}, where the schema says no more than that it is an object. */
const VAGUE: Record<string, Named> = {
  accounts: account,
  users: context => ({ u: { email: email(context, [], {}) } }),
  organizations: () => ({ o: { name: 'Fuzz', owner_user_ref: { ref: 'u' } } }),
  workspaces: () => ({ w: { name: 'Fuzz', organization_ref: { ref: 'o' } } }),
  projects: () => ({ p: { name: 'Fuzz', organization_ref: { ref: 'o' }, workspace_ref: { ref: 'w' } } }),
  organization_memberships: () => ({}),
  workspace_memberships: () => ({}),
  project_memberships: () => ({}),
  user_identities: () => ({}),
  api_keys: () => ({}),
  subscriptions: () => ({}),
  delta: ({ random }) => random.pick([{ set: { parameters: { a: 1 } } }, { remove: ['parameters.a'] }, { set: {} }]),
  outputs: ({ random }) => ({ score: random.below(9), text: 'fine' }),
}

const takesLists = (schema: Schema): boolean => JSON.stringify(schema).includes('"array"')

/** Keys of the catalogue: types, templates, presets. */
const CATALOGUE = ['message', 'model', 'llm', 'tool', 'completion', 'chat', 'auto_exact_match', 'default', 'x']

/** Values whose meaning the name tells and the schema does not. */
const NAMED: Record<string, Named> = {
  filtering: ({ random, world }) => filtering(random, world),
  filter: ({ random, world }) => JSON.stringify(filtering(random, world)),
  windowing: ({ random, world }) => windowing(random, world),
  oldest: ({ random }) => time(random),
  newest: ({ random }) => time(random),
  limit: ({ random }) => random.pick([1, 2, 10, 100]),
  specs: ({ random }) => JSON.stringify(specs(random)),
  slug,
  slugs: listed(slug),
  id,
  ids: listed(id),
  prefix: context => idFor(['key_id'], context),
  email,
  role: ({ random }) => random.pick(['viewer', 'editor', 'annotator', 'admin', 'owner', 'developer']),
  roles: ({ random }) => [random.pick(['viewer', 'editor', 'annotator'])],
  kind: ({ random }) => random.pick(['openai', 'custom', 'provider_key', 'applications']),
  key: ({ random }, way) => (way.length > 1 ? `k${random.hex(4)}` : random.pick(CATALOGUE)),
  preset_key: ({ random }) => random.pick(CATALOGUE),
  date: () => '2026-11-01T00:00:00Z',
  expires_at: () => '2099-01-01T00:00:00Z',
  tags: ({ random }) => random.pick<object>([{}, { a: 'b' }, { a: true, b: { c: 'd' } }]),
  file_type: ({ random }) => random.pick(['csv', 'json']),
  version: ({ random }) => random.pick(['0', '1', '2']),
  uri: ({ random }) => `agenta:builtin:${random.pick(['completion', 'chat', 'auto_exact_match', 'match', 'x'])}:v0`,
  url: ({ random }) => random.pick(['http://127.0.0.1:9/x', 'https://fuzz.invalid/', 'https://10.0.0.1/']),
  schemas: ({ random }) => jsonSchemas(random),
  spans: ({ random }, _way, schema) => (takesLists(schema) ? [span(random)] : { step: span(random) }),
  traces: ({ random }, _way, schema) =>
    takesLists(schema) ? [{ spans: { step: span(random) } }] : { [random.hex(32)]: { spans: { step: span(random) } } },
}

/** A span as `/tracing/spans/ingest` and `/traces` take it. */
export const span = (random: Random): Record<string, unknown> => ({
  trace_id: random.hex(31).padEnd(32, '1'),
  span_id: random.hex(15).padEnd(16, '1'),
  span_name: random.pick(['step', 'call', 'a'.repeat(140)]),
  start_time: '2026-11-01T00:00:00Z',
  end_time: '2026-11-01T00:00:01Z',
  attributes: {
    ag: { data: { inputs: anything(random) }, metrics: { tokens: { incremental: { total: 3 } } } },
    k: anything(random),
  },
})

/** JSON Schemas of handlers, some with patterns that are costly to match. */
const jsonSchemas = (random: Random): object => ({
  outputs: {
    type: 'object',
    properties: {
      a: {
        type: 'string',
        ...(random.chance(0.3) && { pattern: random.pick(['^(a+)+$', '(a|a)*b', '^\\d+$', '(?=a)']) }),
      },
    },
    ...(random.chance(0.2) && {
      $schema: random.pick(['http://json-schema.org/draft-04/schema#', '#'.repeat(2000), 'x']),
    }),
  },
})
