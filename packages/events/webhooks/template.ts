import { canonicalJson, invalid, isJsonObject, isRawJson, type Json, type JsonObject, nextTurn } from '@spanhouse/model'
import { valueAtPath } from '@spanhouse/runtime'

/** Paths in one template. */
const PATHS_MAX = 100
/** Of the body that is sent. */
const BODY_BYTES_MAX = 1024 * 1024
/** For rendering a body, without what happens in between; a path over a large event can take tens of milliseconds. */
const RENDER_MS_MAX = 1_000

/** Thrown for a body that cannot be rendered within the limits. */
export class BodyError extends Error {}

/** Throws a Problem `invalid` for a template with too many paths. */
export function requireRenderable(template: JsonObject): void {
  if (countPaths(template) > PATHS_MAX) throw invalid(`data.payload_fields may contain at most ${PATHS_MAX} paths.`)
}

function countPaths(value: Json): number {
  if (typeof value === 'string') return isPath(value) ? 1 : 0
  if (typeof value !== 'object' || value === null || isRawJson(value)) return 0
  return Object.values(value as JsonObject).reduce<number>((sum, member) => sum + countPaths(member), 0)
}

const isPath = (text: string): boolean => text.startsWith('$') || text.startsWith('/')

/**
 * The body of a request: the context, or the template with its paths replaced by what they select in the context, and
 * by null where they select nothing. JSON with sorted members and no blanks. Throws BodyError beyond the limits.
 */
export async function renderBody(context: JsonObject, template: JsonObject | undefined): Promise<string> {
  const rendering = new Rendering(context)
  return template ? rendering.fill(template) : rendering.write(context)
}

class Rendering {
  readonly #context: JsonObject
  #spentMs = 0
  #bytes = 0

  constructor(context: JsonObject) {
    this.#context = context
  }

  /** The text of a template. Its depth is bounded where it is stored. */
  async fill(value: Json): Promise<string> {
    if (typeof value === 'string' && isPath(value)) return this.#resolve(value)
    if (Array.isArray(value)) {
      const items: string[] = []
      for (const item of value) items.push(await this.fill(item))
      return this.#counted(`[${items.join(',')}]`, items.length + 1)
    }
    if (!isJsonObject(value)) return this.write(value)
    const members: string[] = []
    for (const name of Object.keys(value).sort())
      members.push(`${JSON.stringify(name)}:${await this.fill(value[name] as Json)}`)
    return this.#counted(`{${members.join(',')}}`, members.length + 1)
  }

  write(value: Json): string {
    return this.#counted(canonicalJson(value))
  }

  async #resolve(path: string): Promise<string> {
    await nextTurn()
    if (this.#spentMs > RENDER_MS_MAX) throw new BodyError(`The body took more than ${RENDER_MS_MAX} ms to render`)
    const from = performance.now()
    const text = this.write(selected(this.#context, path))
    this.#spentMs += performance.now() - from
    return text
  }

  #counted(text: string, bytes: number = Buffer.byteLength(text)): string {
    this.#bytes += bytes
    if (this.#bytes > BODY_BYTES_MAX) throw new BodyError(`The body is larger than ${BODY_BYTES_MAX} bytes`)
    return text
  }
}

/** A path that is malformed or selects too much is as one that selects nothing. */
function selected(context: JsonObject, path: string): Json {
  try {
    return valueAtPath(context, path) ?? null
  } catch {
    return null
  }
}
