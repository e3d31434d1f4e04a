/** Route families that also answer below `/preview`, as older clients call them. */
const PREVIEWED_FAMILIES = [
  ...['tracing', 'traces', 'spans', 'simple', 'annotations', 'invocations'],
  ...['workflows', 'applications', 'evaluators', 'testsets', 'testcases', 'queries', 'environments', 'evaluations'],
]
const PREVIEWED = new RegExp(`^/preview(?=/(${PREVIEWED_FAMILIES.join('|')})(/|$))`)
/** Where older clients look for the secrets. */
const VAULT = /^\/vault\/v1(?=\/secrets(\/|$))/
/** Senders that believe to speak to a proxy put it in front of the path. */
const ORIGIN = /^https?:\/\/[^/?]*/i

/**
 * The path that is routed, for the URL that was asked for: an origin is taken off, `/api` however often it stands there, and so
 * are `/preview` and `/vault/v1` before the families that have that alias.
 */
export function routedUrl(url: string): string {
  const [path = '/', query] = splitOnce(url, '?')
  const bare =
    path
      .replace(ORIGIN, '')
      .replace(/^(\/api(?=\/|$))+/, '')
      .replace(PREVIEWED, '')
      .replace(VAULT, '') || '/'
  return query === undefined ? bare : `${bare}?${query}`
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

interface RoutedRequest {
  url: string
  method: string
  routeOptions: { url?: string | undefined }
}

/** Which verbs a path would answer to, so that a wrong verb is told from a wrong path. */
export class KnownPaths {
  readonly #patterns: { matches: RegExp; parameters: number; methods: string[] }[] = []

  add(url: string, method: string | string[]): void {
    const source = url.replace(/\/$/, '').replace(/:[^/]+/g, '[^/]+')
    const parameters = url.split('/:').length - 1
    this.#patterns.push({ matches: new RegExp(`^${source}/?$`), parameters, methods: [method].flat() })
  }

  /** Whether a request was routed to `/traces/:trace_id` though `/traces/query` exists, for another verb. */
  isShadowed({ url, method, routeOptions }: RoutedRequest): boolean {
    if (!routeOptions.url?.includes('/:')) return false
    const methods = this.methodsOf(url)
    return methods.length > 0 && !methods.includes(method)
  }

  /** Sorted; empty for a path that does not exist. Of `/traces/query` and `/traces/:trace_id` the first counts. */
  methodsOf(url: string): string[] {
    const [path] = splitOnce(url, '?')
    const found = this.#patterns.filter(({ matches }) => matches.test(path))
    const fewest = Math.min(...found.map(({ parameters }) => parameters))
    const exact = found.filter(({ parameters }) => parameters === fewest)
    return [...new Set(exact.flatMap(({ methods }) => methods))].sort()
  }
}
