import { isJsonObject, isRawJson, type Json, type JsonObject } from '@spanhouse/model'
import { equalScalars } from './json-equality.ts'
import { Steps } from './steps.ts'

/** Options for comparing two documents leaf by leaf. */
export interface DiffOptions {
  /** Leaves of the same JSON type agree. */
  typesOnly: boolean
  /** Leaves of the actual document alone count as differences. */
  countExtra: boolean
  /** Names are compared without regard to case. */
  ignoreCase: boolean
}

/**
 * The share of leaves that are equal in the actual and the expected document (5.4). A leaf is identified by its path,
 * joined with dots; empty objects and lists have no leaves. A leaf that one side lacks is a difference, null equals
 * null, and two documents without leaves agree (1). Throws a 400 RunError if the documents have too many names.
 */
export async function diffScore(expected: Json, actual: Json, options: DiffOptions): Promise<number> {
  const paths = new Paths(options.ignoreCase)
  const steps = new Steps()
  const [wanted, found] = [await leavesOf(expected, paths, steps), await leavesOf(actual, paths, steps)]
  if (wanted.size === 0 && found.size === 0) return 1
  const agree = options.typesOnly ? sameType : equalScalars
  let agreed = 0
  let extra = found.size
  for (const [path, leaf] of wanted) {
    const other = found.get(path)
    if (other !== undefined) extra--
    if (other !== undefined && agree(leaf, other)) agreed++
    const turn = steps.next()
    if (turn) await turn
  }
  const counted = wanted.size + (options.countExtra ? extra : 0)
  return counted === 0 ? 0 : agreed / counted
}

const sameType = (a: Json, b: Json): boolean => typeOf(a) === typeOf(b)

const typeOf = (leaf: Json): string => (leaf === null ? 'null' : isRawJson(leaf) ? 'number' : typeof leaf)

/** Of a name with dots. */
const PARTS_MAX = 1_000

/** A number for each path: texts of them would be as long, together, as the documents are deep times wide. */
class Paths {
  static readonly ROOT = 0
  readonly #ignoreCase: boolean
  readonly #numbers = new Map<string, number>()

  constructor(ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase
  }

  /** The path one name further. */
  below(path: number, name: string, steps: Steps): number {
    const parts = partsOf(this.#ignoreCase ? name.toLowerCase() : name)
    return parts.reduce((at, part) => {
      steps.take()
      return this.#step(at, part)
    }, path)
  }

  #step(path: number, step: string): number {
    const key = `${path}.${step}`
    const known = this.#numbers.get(key) ?? this.#numbers.size + 1
    this.#numbers.set(key, known)
    return known
  }
}

/** A name with dots is as many steps, unless it has thousands. */
function partsOf(name: string): string[] {
  if (!name.includes('.')) return [name]
  const parts = name.split('.', PARTS_MAX + 1)
  return parts.length > PARTS_MAX ? [name] : parts
}

/** Leaves by their paths. Of two with the same path the later one counts. */
async function leavesOf(document: Json, paths: Paths, steps: Steps): Promise<Map<number, Json>> {
  const leaves = new Map<number, Json>()
  const open: [Json, number][] = [[document, Paths.ROOT]]
  for (let last = open.pop(); last; last = open.pop()) {
    const [value, path] = last
    if (!Array.isArray(value) && !isJsonObject(value)) {
      if (!leaves.has(path)) leaves.set(path, value)
      continue
    }
    const names = Array.isArray(value) ? value.keys() : Object.keys(value)
    for (const name of names) {
      open.push([(value as JsonObject)[name] as Json, paths.below(path, String(name), steps)])
      const turn = steps.turn()
      if (turn) await turn
    }
  }
  return leaves
}
