/** The parts of a handler URI. Omitted ones are filled in (see {@link parseHandlerUri}). */
export interface HandlerUri {
  provider: string
  kind: string
  key: string
  version: string
}

/** Settings of the installation that the runtime needs. */
export interface RuntimeSettings {
  /** Public base of the hosted services, without a slash at the end: `http://127.0.0.1:4600/services`. */
  servicesUrl: string
  /** The first segment of the URIs that the server makes itself. */
  uriPrefix: string
}

export type Naming = Pick<RuntimeSettings, 'uriPrefix'>

/** The prefix of the interface. It is always accepted, and is the default if a URI omits the provider. */
export const INTERFACE_PREFIX = 'agenta'

const LATEST = 'latest'

/** The only version of every handler so far. */
export const HANDLER_VERSION = 'v0'

/**
 * Parses `provider:kind:key:version`, or a shorter form: `key`, `kind:key`, `provider:kind:key`.
 * Null for anything else, which counts as no URI. Web addresses are not handler URIs: ask {@link isWebAddress} first.
 */
export function parseHandlerUri(text: string): HandlerUri | null {
  if (text === '' || isWebAddress(text)) return null
  const parts = text.split(':')
  if (parts.length > 4) return null
  const [version, key, kind, provider] = parts.length === 4 ? parts.toReversed() : [LATEST, ...parts.toReversed()]
  return { provider: provider ?? INTERFACE_PREFIX, kind: kind ?? 'builtin', key: key ?? '', version: version ?? LATEST }
}

/** A `uri` that is itself the address of a custom handler. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text)

/** An address that can be called: `http` or `https` with a host. */
export function isCallableUrl(text: string): boolean {
  return isWebAddress(text) && URL.canParse(text) && new URL(text).hostname !== ''
}

/** Whether the handler is one of Spanhouse's own. */
export const isManaged = (uri: HandlerUri, { uriPrefix }: RuntimeSettings): boolean =>
  uri.provider === INTERFACE_PREFIX || uri.provider === uriPrefix

/** The URI of one of Spanhouse's own handlers. */
export const managedUri = ({ kind, key }: Pick<HandlerUri, 'kind' | 'key'>, { uriPrefix }: Naming): string =>
  `${uriPrefix}:${kind}:${key}:${HANDLER_VERSION}`
