import { listedFamily, namedFamily, withoutPrefix } from './families.ts'
import { RoutingError } from './model-error.ts'

type Members = Readonly<Record<string, unknown>>

/** A stored credential, unmasked, as the record of a secret has it. */
export interface ModelSecret {
  slug?: string | null
  kind: 'provider_key' | 'custom_provider'
  data: {
    kind: string
    provider: { key?: string | null; url?: string | null; version?: string | null; extras?: Members | null }
    models?: readonly { slug: string; extras?: Members | null }[] | null
    /** The name that a custom provider was given. */
    provider_slug?: string | null
  }
}

/** Where a model is called and with what. It holds a key: it must not be logged or stored. */
export interface ProviderRoute {
  kind: 'provider'
  /** The kind of the credential, such as `openai` or `custom`. */
  provider: string
  /** The model as the provider knows it. */
  model: string
  /** The model as it was asked for. */
  requested: string
  /** Empty where the provider wants none, or credentials of another form. */
  key: string
  url?: string
  version?: string
  /** Further credentials: of clouds. */
  extras: Members
  /** Options that the credential's entry of the model sets; a call's own win. */
  options: Members
}

/** A canned reply instead of a call. */
export interface MockRoute {
  kind: 'mock'
  name: string
}

export type Route = ProviderRoute | MockRoute

/**
 * Finds the credential for a model: of the named connection; otherwise a key of the family that lists the model, a custom
 * provider that has it under its full name, a key of the family that the name points to, a custom provider that has it under
 * a shorter name, and at last the only key there is. Throws {@link RoutingError}.
 */
export function route(
  model: string,
  connection: string | null | undefined,
  secrets: readonly ModelSecret[],
): ProviderRoute {
  const secret = connection ? connected(model, connection, secrets) : fitting(model, secrets)
  const found = secret && routeWith(secret, model)
  if (found) return found
  throw new RoutingError('v0:schemas:invalid-secrets', `No API key found for model '${model}'`)
}

/** The secret that a connection names; older callers name it by the provider's kind or name. */
function connected(model: string, connection: string, secrets: readonly ModelSecret[]): ModelSecret | undefined {
  const secret =
    secrets.find(({ slug }) => slug === connection) ??
    secrets.find(({ data }) => data.kind === connection) ??
    secrets.find(({ data }) => data.provider_slug === connection)
  if (secret === undefined)
    throw new RoutingError('v0:schemas:unknown-connection', `Unknown connection '${connection}'`)
  if (secret.kind === 'custom_provider') return entryOf(secret, model) && secret
  const family = listedFamily(model)
  if (family === undefined || family === secret.data.kind) return secret
  throw new RoutingError(
    'v0:schemas:connection-model-mismatch',
    `The connection '${connection}' is of ${secret.data.kind}, the model '${model}' of ${family}`,
  )
}

function fitting(model: string, secrets: readonly ModelSecret[]): ModelSecret | undefined {
  const listed = listedFamily(model)
  const named = listed ?? namedFamily(model)
  const customs = secrets.filter(({ kind }) => kind === 'custom_provider')
  const [first, ...others] = secrets
  const isOnly = named === undefined && others.length === 0 && first?.kind === 'provider_key'
  return (
    (listed && keyOf(listed, model, secrets)) ||
    customs.find(({ data }) =>
      data.models?.some(({ slug }) => model === `${data.provider_slug}/${data.kind}/${slug}`),
    ) ||
    (named && keyOf(named, model, secrets)) ||
    customs.find(secret => entryOf(secret, model)) ||
    (isOnly ? first : undefined)
  )
}

/** Of a family's keys: the one that names the model, else the first that names none, else the first. */
function keyOf(family: string, model: string, secrets: readonly ModelSecret[]): ModelSecret | undefined {
  const keys = secrets.filter(({ kind, data }) => kind === 'provider_key' && data.kind === family)
  return keys.find(key => entryOf(key, model)) ?? keys.find(({ data }) => data.models == null) ?? keys[0]
}

/** The secret's own entry of a model, by its full name or without what stands before it. */
function entryOf({ data }: ModelSecret, model: string) {
  const { kind, provider_slug: name } = data
  return data.models?.find(({ slug }) =>
    [slug, `${kind}/${slug}`, `${name}/${slug}`, `${name}/${kind}/${slug}`].some(
      id => id === model || withoutPrefix(id, kind) === withoutPrefix(model, kind),
    ),
  )
}

function routeWith(secret: ModelSecret, model: string): ProviderRoute | undefined {
  const { kind, provider } = secret.data
  const entry = entryOf(secret, model)
  const extras = provider.extras ?? {}
  const key = provider.key || textIn(extras, 'api_key')
  if (!hasCredentials(kind, key, extras)) return undefined
  return {
    kind: 'provider',
    provider: kind,
    model: withoutPrefix(entry?.slug ?? model, kind),
    requested: model,
    key,
    url: provider.url || undefined,
    version: provider.version || undefined,
    extras,
    options: entry?.extras ?? {},
  }
}

/** A member that is a text; empty when there is none. Of several names the first that is there counts. */
export function textIn(members: Members, ...names: string[]): string {
  const found = names.map(name => members[name]).find(value => typeof value === 'string' && value !== '')
  return (found as string | undefined) ?? ''
}

/** Whether anything stands in for a key where there is none; a server of one's own may want none. */
function hasCredentials(kind: string, key: string, extras: Members): boolean {
  if (key !== '' || kind === 'custom') return true
  if (kind === 'bedrock')
    return textIn(extras, 'aws_access_key_id') !== '' && textIn(extras, 'aws_secret_access_key') !== ''
  return kind === 'vertex_ai' && VERTEX_CREDENTIALS.some(name => extras[name] != null)
}

/** What the members of a Vertex credential are called. */
export const VERTEX_CREDENTIALS = ['vertex_ai_credentials', 'vertex_credentials', 'credentials']
export const VERTEX_PROJECT = ['vertex_ai_project', 'vertex_project', 'project']
export const VERTEX_LOCATION = ['vertex_ai_location', 'vertex_location', 'location']
