import type { JsonObject } from '@spanhouse/model'
import { handlerOf } from './handlers.ts'
import { HANDLER_VERSION, type HandlerUri, isWebAddress, parseHandlerUri, type RuntimeSettings } from './uri.ts'

/** The handler URI in a revision's data; null if it has none, or a web address instead. */
export const handlerUriOf = ({ uri }: JsonObject): HandlerUri | null =>
  typeof uri === 'string' ? parseHandlerUri(uri) : null

/** The web address instead of a handler URI: that of a custom handler, which is called directly. */
export const webAddressOf = ({ uri }: JsonObject): string | undefined =>
  typeof uri === 'string' && isWebAddress(uri) ? uri : undefined

/** The address at which Spanhouse hosts the handler, with `latest` resolved; undefined if it does not. */
export function hostedUrl(uri: HandlerUri, settings: RuntimeSettings): string | undefined {
  const handler = handlerOf(uri, settings)
  if (!handler || handler.isRunnable === false) return undefined
  const version = uri.version === 'latest' ? HANDLER_VERSION : uri.version
  return `${settings.servicesUrl}/${encodeURIComponent(uri.key)}/${encodeURIComponent(version)}`
}

/**
 * The data as it is read. A built-in handler's address is not stored but added on each read, so that it follows the
 * installation. A committed address is kept.
 */
export function shownRevisionData(data: JsonObject, settings: RuntimeSettings): JsonObject {
  const uri = handlerUriOf(data)
  if (data.url || uri?.kind !== 'builtin') return data
  const url = hostedUrl(uri, settings)
  return url === undefined ? data : { ...data, url }
}
