import { defined, type JsonObject } from '@spanhouse/model'
import {
  HANDLER_VERSION,
  HANDLERS,
  type Handler,
  handlerOf,
  handlerUriOf,
  isCallableUrl,
  isManaged,
  RunError,
  type RunRequest,
  type RuntimeSettings,
  webAddressOf,
} from '@spanhouse/runtime'
import { checkedSessionId, type InvokeBody, isSessionId, linksOf, nonEmpty, sentRevisionData } from './bodies.ts'
import type { Propagated } from './propagation.ts'
import { type NamedReferences, type Resolved, type Resolving, resolveReferences, withoutEmbeds } from './resolve.ts'

/** A handler, and the request it runs. */
export interface Prepared {
  handler: Handler
  /** Whether the response is streamed is decided later. */
  request: Omit<RunRequest, 'isStreamed'>
}

/** The handler at an address; undefined if there is none of that key and version. */
export const mountedHandler = (key: string, version: string): Handler | undefined =>
  HANDLERS.find(one => one.key === key && version === HANDLER_VERSION && one.isRunnable !== false)

/** A request to run, and where it was sent: the dispatcher has no `mount` and takes the handler from the revision. */
export interface Requested {
  body: InvokeBody
  mount: Handler | undefined
  propagated: Propagated
}

/**
 * Resolves the revision that a request names, its embeds and its handler. Throws a {@link RunError} or a Problem if one
 * of them does not exist.
 */
export async function prepare(resolving: Resolving, { body, mount, propagated }: Requested): Promise<Prepared> {
  const sessionId = checkedSessionId(sessionIdOf(body, propagated))
  const { effective, resolved, handler } = await revisionOf(resolving, body, mount)
  return { handler, request: { ...requestOf(body, propagated, resolved), ...configurationIn(effective), sessionId } }
}

/** Stands for the handler where a request to the dispatcher leads to none. */
const DISPATCHER: Handler = { key: 'invoke', kind: 'builtin', roles: ['application', 'evaluator'] }

/**
 * A run that fails with the error that {@link prepare} has thrown, so that the request leaves a trace like any other.
 */
export function rejected(error: unknown, { body, mount, propagated }: Requested): Prepared {
  const sent = sessionIdOf(body, propagated)
  const { revision, parameters } = body.data ?? {}
  const configuration = { ...sentRevisionData(revision), ...(nonEmpty(parameters) && { parameters }) } as JsonObject
  const handler: Handler = {
    ...(mount ?? DISPATCHER),
    run: () => {
      throw error
    },
  }
  return {
    handler,
    request: {
      ...requestOf(body, propagated),
      ...configurationIn(configuration),
      sessionId: sent !== undefined && isSessionId(sent) ? sent : undefined,
    },
  }
}

const sessionIdOf = (body: InvokeBody, { sessionId }: Propagated): string | undefined => body.session_id ?? sessionId

const configurationIn = (revision: JsonObject): Pick<Prepared['request'], 'parameters' | 'revision'> => ({
  parameters: (revision.parameters as JsonObject | null | undefined) ?? {},
  revision,
})

/** What a run takes from the request as it was sent, with the references that were resolved. */
function requestOf(
  body: InvokeBody,
  { parent, baggage }: Propagated,
  resolved?: Resolved,
): Omit<Prepared['request'], 'parameters' | 'revision'> {
  const { data, flags = {}, tags, meta } = body
  const references = { ...named(body.references), ...resolved?.references } as JsonObject
  const selector = nonEmpty({ ...defined(body.selector ?? {}), ...resolved?.selector } as JsonObject)
  const labels = { references, selector, links: linksOf(body), tags, meta, baggage }
  const { inputs, outputs, trace, testcase, messages } = data ?? ({} as NonNullable<InvokeBody['data']>)
  return { inputs, outputs, trace, testcase, messages, flags, labels, parent }
}

/** The members of a request that identify a revision; those of an inspection are no others. */
type Asked = Pick<InvokeBody, 'references' | 'selector' | 'flags'> & {
  data?: { revision?: JsonObject; parameters?: JsonObject }
}

/** The effective data of the revision, its references, and its handler. */
export async function revisionOf(
  resolving: Resolving,
  { references, selector, flags = {}, data }: Asked,
  mount: Handler | undefined,
): Promise<{ effective: JsonObject; resolved: Resolved | undefined; handler: Handler }> {
  const sent = sentRevisionData(data?.revision)
  const parameters = nonEmpty(data?.parameters)
  // If the request contains the configuration, its references are only labels; the dispatcher still needs a handler.
  const isResolved = mount === undefined ? sent?.uri === undefined : sent === undefined && parameters === undefined
  const resolved = isResolved ? await resolveReferences(resolving, references ?? {}, selector?.key) : undefined
  const whole = { ...resolved?.data, ...sent, ...(parameters && { parameters }) } as JsonObject
  const effective = flags.resolve === false ? whole : await withoutEmbeds(resolving, whole, resolved?.id)
  const address = webAddressOf(effective)
  if (address !== undefined) effective.url ??= address
  return { effective, resolved, handler: chosenHandler(mount, effective, resolving.registry.runtime) }
}

/** A mount runs only its own handler, so a revision that names another one was sent to the wrong address. */
function chosenHandler(mount: Handler | undefined, data: JsonObject, settings: RuntimeSettings): Handler {
  const wanted = namedHandler(data, settings)
  if (!mount) {
    if (wanted) return wanted
    throw invalidUri('Neither data.revision.data.uri nor the references say what to run.')
  }
  if (!wanted || wanted.key === mount.key) return mount
  throw invalidUri(`The revision is run by '${wanted.key}', and this is the address of '${mount.key}'.`)
}

/** The handler that the data names, `hook` for a custom handler at its own address; undefined if it names none. */
function namedHandler(data: JsonObject, settings: RuntimeSettings): Handler | undefined {
  const hook = HANDLERS.find(one => one.key === 'hook')
  if (webAddressOf(data) !== undefined) return hook
  const uri = handlerUriOf(data)
  if (uri === null) return undefined
  if (!isManaged(uri, settings) && typeof data.url === 'string' && isCallableUrl(data.url)) return hook
  const handler = handlerOf(uri, settings)
  if (handler && handler.isRunnable !== false && ['latest', HANDLER_VERSION].includes(uri.version)) return handler
  throw invalidUri(`There is no handler '${data.uri}'.`)
}

const invalidUri = (message: string): RunError =>
  new RunError(400, 'v0:interface:invalid-uri', message, { details: { path: 'data.revision.data.uri' } })

const named = (references: NamedReferences = {}): object =>
  Object.fromEntries(Object.entries(references).flatMap(([key, one]) => (one ? [[key, defined(one)]] : [])))
