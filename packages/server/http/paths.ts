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

/** A path by its parts; undefined stands for any. */
interface KnownPath {
  url: string
  parts: (string | undefined)[]
  parameters: number
  methods: string[]
}

/** Which verbs a path would answer to, so that a wrong verb is told from a wrong path. */
export class KnownPaths {
  /** By the number of their parts. */
  readonly #paths = new Map<number, KnownPath[]>()
  /** By the URL of a route: the paths with fewer parameters that some of its requests could mean. */
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

  /** Whether a request was routed to `/traces/:trace_id` though `/traces/query` exists, for another verb. */
  isShadowed({ url, method, routeOptions }: RoutedRequest): boolean {
    const narrower = this.#narrower.get(routeOptions.url ?? '') ?? []
    if (narrower.length === 0) return false
    const methods = methodsAt(narrower, partsOf(splitOnce(url, '?')[0]))
    return methods.length > 0 && !methods.includes(method)
  }

  /** Sorted; empty for a path that does not exist. Of `/traces/query` and `/traces/:trace_id` the first counts. */
  methodsOf(url: string): string[] {
    const parts = partsOf(splitOnce(url, '?')[0])
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

/** The verbs of those of the paths that fit with the fewest parameters. */
function methodsAt(paths: readonly KnownPath[], parts: readonly string[]): string[] {
  const found = paths.filter(known =>
    known.parts.every((part, at) => (part === undefined ? parts[at] !== '' : part === parts[at])),
  )
  const fewest = Math.min(...found.map(({ parameters }) => parameters))
  const exact = found.filter(({ parameters }) => parameters === fewest)
  return [...new Set(exact.flatMap(({ methods }) => methods))].sort()
}

/** What stands between the slashes; one at the end means nothing. */
const partsOf = (path: string): string[] => (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
