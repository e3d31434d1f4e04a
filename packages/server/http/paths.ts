/** Route families that also answer below `/preview`, as older clients call them. */
const PREVIEWED_FAMILIES = [
  ...['tracing', 'traces', 'spans', 'simple', 'annotations', 'invocations'],
  ...['workflows', 'applications', 'evaluators', 'testsets', 'testcases', 'queries', 'environments', 'evaluations'],
]
const PREVIEWED = new RegExp(`^/preview(?=/(${PREVIEWED_FAMILIES.join('|')})(/|$))`)
/** Where older clients look for the secrets. */
const VAULT = /^\/vault\/v1(?=\/secrets(\/|$))/

/**
 * The path that is routed, for the URL that was asked for: `/api` is taken off however often it stands there, and so
 * are `/preview` and `/vault/v1` before the families that have that alias.
 */
export function routedUrl(url: string): string {
  const [path = '/', query] = splitOnce(url, '?')
  const bare =
    path
      .replace(/^(\/api(?=\/|$))+/, '')
      .replace(PREVIEWED, '')
      .replace(VAULT, '') || '/'
  return query === undefined ? bare : `${bare}?${query}`
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** Which verbs a path would answer to, so that a wrong verb is told from a wrong path. */
export class KnownPaths {
  readonly #patterns: { matches: RegExp; methods: Set<string> }[] = []

  add(url: string, method: string | string[]): void {
    const source = url.replace(/\/$/, '').replace(/:[^/]+/g, '[^/]+')
    this.#patterns.push({ matches: new RegExp(`^${source}/?$`), methods: new Set([method].flat()) })
  }

  has(url: string): boolean {
    const [path] = splitOnce(url, '?')
    return this.#patterns.some(({ matches }) => matches.test(path))
  }
}
