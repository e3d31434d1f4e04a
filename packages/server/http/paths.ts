/** Route families that are also available below `/preview`, for older clients. */
const PREVIEWED_FAMILIES = [
  'tracing',
  'traces',
  'spans',
  'simple',
  'annotations',
  'invocations',
  'workflows',
  'applications',
  'evaluators',
  'testsets',
  'testcases',
  'queries',
  'environments',
  'evaluations',
]
const PREVIEWED = new RegExp(`^/preview(?=/(${PREVIEWED_FAMILIES.join('|')})(/|$))`)
/** Where older clients expect the secrets. */
const VAULT = /^\/vault\/v1(?=\/secrets(\/|$))/
/**
 * Exporters append these to whatever endpoint they are given: `/api`, `/api/public/otel` as for Langfuse, or none at
 * all.
 */
const EXPORT = /^.*\/v1\/(traces|metrics|logs)\/?$/
/** Prefix added by senders that expect a proxy. */
const ORIGIN = /^https?:\/\/[^/?]*/i

/**
 * The path to route for a requested URL: an origin is removed, `/api` however often it is repeated, and `/preview` and
 * `/vault/v1` before the families that have that alias; paths of exporters become `/otlp/v1/traces`.
 */
export function routedUrl(url: string): string {
  const [path = '/', query] = atQuery(url)
  const bare =
    path
      .replace(ORIGIN, '')
      .replace(/^(\/api(?=\/|$))+/, '')
      .replace(PREVIEWED, '')
      .replace(VAULT, '')
      .replace(EXPORT, '/otlp/v1/$1') || '/'
  return query === undefined ? bare : `${bare}?${query}`
}

/** The path and the query string. */
function atQuery(url: string): [string, string?] {
  const at = url.indexOf('?')
  return at === -1 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

interface RoutedRequest {
  url: string
  method: string
  routeOptions: { url?: string | undefined }
}

/** A path by its segments; undefined stands for any. */
interface KnownPath {
  url: string
  parts: (string | undefined)[]
  parameters: number
  methods: string[]
}

/** The methods that a path supports, to distinguish a wrong method from an unknown path. */
export class KnownPaths {
  /** By number of segments. */
  readonly #paths = new Map<number, KnownPath[]>()
  /** By route URL: the paths with fewer parameters that some of its requests could match. */
  readonly #narrower = new Map<string, KnownPath[]>()

  add(url: string, method: string | string[]): void {
    const parts = partsOf(url).map(part => (part.startsWith(':') ? undefined : part))
    const parameters = parts.filter(part => part === undefined).length
    const added = { url, parts, parameters, methods: [method].flat() }
    const known = this.#paths.get(parts.length) ?? []
    for (const other of known) {
      this.#note(added, other)
      this.#note(other, added)
    }
    known.push(added)
    this.#paths.set(parts.length, known)
  }

  /** Whether a request was routed to `/traces/:trace_id` although `/traces/query` exists for another method. */
  isShadowed({ url, method, routeOptions }: RoutedRequest): boolean {
    const narrower = this.#narrower.get(routeOptions.url ?? '') ?? []
    if (narrower.length === 0) return false
    const methods = methodsAt(narrower, partsOf(atQuery(url)[0]))
    return methods.length > 0 && !methods.includes(method)
  }

  /** Sorted; empty for an unknown path. Of `/traces/query` and `/traces/:trace_id`, the first takes precedence. */
  methodsOf(url: string): string[] {
    const parts = partsOf(atQuery(url)[0])
    return methodsAt(this.#paths.get(parts.length) ?? [], parts)
  }

  #note(wide: KnownPath, narrow: KnownPath): void {
    const overlap = wide.parts.every(
      (part, at) => [part, narrow.parts[at]].includes(undefined) || part === narrow.parts[at],
    )
    if (narrow.parameters >= wide.parameters || !overlap) return
    const noted = this.#narrower.get(wide.url) ?? []
    if (!noted.includes(narrow)) this.#narrower.set(wide.url, [...noted, narrow])
  }
}

/** The methods of the matching paths with the fewest parameters. */
function methodsAt(paths: readonly KnownPath[], parts: readonly string[]): string[] {
  const found = paths.filter(known =>
    known.parts.every((part, at) => (part === undefined ? parts[at] !== '' : part === parts[at])),
  )
  const fewest = Math.min(...found.map(({ parameters }) => parameters))
  const exact = found.filter(({ parameters }) => parameters === fewest)
  return [...new Set(exact.flatMap(({ methods }) => methods))].sort()
}

/** The segments between the slashes; a trailing slash is ignored. */
const partsOf = (path: string): string[] => (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
