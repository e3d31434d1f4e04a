import type { JsonObject } from '@spanhouse/model'
import { handlerOf } from './handlers.ts'
import { type HandlerUri, isWebAddress, parseHandlerUri, type RuntimeSettings } from './uri.ts'

/** The handler URI in a revision's data; null when it has none, or a web address in its place. */
export const handlerUriOf = ({ uri }: JsonObject): HandlerUri | null =>
  typeof uri === 'string' ? parseHandlerUri(uri) : null

/** The address in place of a handler URI: a custom handler that is called directly. */
export const webAddressOf = ({ uri }: JsonObject): string | undefined =>
  typeof uri === 'string' && isWebAddress(uri) ? uri : undefined

/** Where Spanhouse hosts the handler, with `latest` resolved; undefined when it does not. */
export function hostedUrl(uri: HandlerUri, settings: RuntimeSettings): string | undefined {
  const handler = handlerOf(uri, settings)
  if (!handler || handler.isRunnable === false) return undefined
  const version = uri.version === 'latest' ? handler.version : uri.version
  return `${settings.servicesUrl}/${encodeURIComponent(uri.key)}/${encodeURIComponent(version)}`
}

/**
 * The data as it is read: a built-in handler's address is not stored but added, so that it follows the installation.
 * An address that was committed stays.
 */
export function shownRevisionData(data: JsonObject, settings: RuntimeSettings): JsonObject {
  const uri = handlerUriOf(data)
  if (data.url || uri?.kind !== 'builtin') return data
  const url = hostedUrl(uri, settings)
  return url === undefined ? data : { ...data, url }
}
