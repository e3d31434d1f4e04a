import { isJsonObject, isRawJson, type Json, type JsonObject } from '@spanhouse/model'
import { type DiffOptions, diffScore } from '../evaluation/json-diff.ts'
import { equalJson } from '../evaluation/json-equality.ts'
import { jsonText } from '../evaluation/json-text.ts'
import { readJson } from '../evaluation/read-json.ts'
import { EMBEDDING_MODEL, editSimilarity, embeddingSimilarity } from '../evaluation/similarity.ts'
import { valueIn } from '../evaluation/value-in.ts'
import { mistakeInPath } from '../path.ts'
import type { Means, Run } from '../run.ts'
import { RunError } from '../run-error.ts'
import type { Comparison } from './match-node.ts'

/** Why a comparison cannot be made. It fails, but the run continues. */
export class Incomparable extends Error {}

/** A result. A comparison without a degree has the score 1 or 0. */
interface Outcome {
  score: number
  success: boolean
}

const verdict = (success: boolean): Outcome => ({ score: success ? 1 : 0, success })

/** A comparison whose paths are resolved. */
interface Given extends Omit<Comparison, 'target' | 'references'> {
  target: Json
  references: readonly Json[]
}

/** Of all texts that are kept for further matchers of a run. */
const TEXTS_LENGTH_MAX = 64 * 1024 * 1024

/** The document that the matchers of a run compare. */
export class Compared {
  readonly #document: JsonObject
  readonly #means: Means
  /** Texts of objects and lists, as far as they fit: many matchers use the same one. */
  readonly #texts = new Map<Json, string>()
  #textsLeft = TEXTS_LENGTH_MAX

  constructor({ inputs, outputs, trace, means }: Run) {
    const given = Object.entries({ inputs, outputs, trace }).filter(
      (entry): entry is [string, Json] => entry[1] !== undefined,
    )
    this.#document = Object.fromEntries(given)
    this.#means = means
  }

  /** Throws an {@link Incomparable}, or an error of a model call. */
  async outcomeOf(comparison: Comparison): Promise<Outcome> {
    const make = MATCHES.get(comparison.match)
    if (!make) throw new Incomparable(`Unknown match '${comparison.match}'.`)
    const target = this.#resolve(comparison.target)
    const references = comparison.references.map(one => (isPath(one) ? this.#resolve(one) : one))
    return make({ ...comparison, target, references }, this)
  }

  #resolve(path: string): Json {
    const mistake = mistakeInPath(path)
    if (mistake !== null) throw new Incomparable(`The path '${path}' ${mistake}.`)
    const value = asIncomparable(() => valueIn(this.#document, path, 'matchers'))
    if (value === undefined) throw new Incomparable(`The path '${path}' matches nothing.`)
    return value
  }

  /** The text of a value: objects and lists as JSON with sorted names, null as an empty text. */
  async textOf(value: Json, { isCaseSensitive }: Given): Promise<string> {
    const text = await this.#plainTextOf(value)
    return isCaseSensitive ? text : text.toLowerCase()
  }

  async #plainTextOf(value: Json): Promise<string> {
    if (typeof value === 'string') return value
    if (value === null) return ''
    if (isRawJson(value) || typeof value !== 'object') return jsonText(value)
    const known = this.#texts.get(value)
    if (known !== undefined) return known
    const text = await refusalAsIncomparable(jsonText(value, true))
    if (text.length > this.#textsLeft) return text
    this.#textsLeft -= text.length
    this.#texts.set(value, text)
    return text
  }

  async find(source: string, ignoreCase: boolean, text: string): Promise<boolean> {
    const [isFound = false] = await refusalAsIncomparable(this.#means.searchTexts({ source, ignoreCase }, [text]))
    return isFound
  }

  contains(text: string, sought: readonly string[], extent: 'all' | 'any'): Promise<boolean> {
    return refusalAsIncomparable(this.#means.compute('containsTexts', text, sought, extent))
  }

  async similarity(name: string, texts: readonly [string, string]): Promise<number> {
    if (name === 'jaccard') return refusalAsIncomparable(this.#means.compute('matchingRatio', ...texts))
    if (name === 'levenshtein') return refusalAsIncomparable(editSimilarity(this.#means, ...texts))
    if (name === 'cosine') return embeddingSimilarity(this.#means, EMBEDDING_MODEL, texts)
    throw new Incomparable(`Unknown similarity '${name}'.`)
  }
}

/** Whether a reference is a path rather than a literal. */
const isPath = (reference: Json): reference is string =>
  typeof reference === 'string' && (reference === '$' || /^(\$[.[]|\/)/.test(reference))

/** If a caller's pattern, path or texts are rejected, the comparison cannot be made. */
const refusalOf = (error: unknown): unknown =>
  error instanceof RunError && error.status === 400 ? new Incomparable(error.message, { cause: error }) : error

function asIncomparable<T>(attempt: () => T): T {
  try {
    return attempt()
  } catch (error) {
    throw refusalOf(error)
  }
}

const refusalAsIncomparable = <T>(attempt: Promise<T>): Promise<T> =>
  attempt.catch((error: unknown) => {
    throw refusalOf(error)
  })

type Make = (given: Given, compared: Compared) => Promise<Outcome>

/** A match of two texts. */
const ofTexts =
  (holds: (text: string, reference: string) => boolean): Make =>
  async (given, compared) => {
    const reference = await compared.textOf(referenceOf(given), given)
    return verdict(holds(await compared.textOf(given.target, given), reference))
  }

/** By the name of the match. */
const MATCHES = new Map(
  Object.entries<Make>({
    valid: async ({ mode, target }) => verdict(mode === 'text' ? typeof target === 'string' : await isDocument(target)),
    exact: async (given, compared) => {
      const reference = referenceOf(given)
      if (given.mode === 'json')
        return verdict(
          await refusalAsIncomparable(equalJson(await contentOf(given.target), await contentOf(reference))),
        )
      return verdict((await compared.textOf(given.target, given)) === (await compared.textOf(reference, given)))
    },
    starts_with: ofTexts((text, reference) => text.startsWith(reference)),
    ends_with: ofTexts((text, reference) => text.endsWith(reference)),
    contains: async (given, compared) => {
      referenceOf(given)
      const text = await compared.textOf(given.target, given)
      const sought = await Promise.all(given.references.map(one => compared.textOf(one, given)))
      return verdict(await compared.contains(text, sought, given.contains))
    },
    regex: async (given, compared) => {
      const asIs = { ...given, isCaseSensitive: true }
      const [source, text] = [
        await compared.textOf(referenceOf(given), asIs),
        await compared.textOf(given.target, asIs),
      ]
      return verdict(await compared.find(source, !given.isCaseSensitive, text))
    },
    similarity: async (given, compared) => {
      const reference = await compared.textOf(referenceOf(given), given)
      const score = await compared.similarity(given.similarity, [await compared.textOf(given.target, given), reference])
      return { score, success: score >= given.threshold }
    },
    diff: async given => {
      const extent = DIFFS.get(given.diff)
      if (!extent) throw new Incomparable(`Unknown diff '${given.diff}'.`)
      const [expected, actual] = [await documentOf(referenceOf(given)), await documentOf(given.target)]
      const options = { ...extent, ignoreCase: !given.isCaseSensitive }
      const score = await refusalAsIncomparable(diffScore(expected, actual, options))
      return { score, success: score >= given.threshold }
    },
  }),
)

const DIFFS = new Map(
  Object.entries<Omit<DiffOptions, 'ignoreCase'>>({
    full: { typesOnly: false, countExtra: false },
    schema: { typesOnly: true, countExtra: false },
    strict: { typesOnly: false, countExtra: true },
  }),
)

function referenceOf({ references }: Given): Json {
  const [reference] = references
  if (reference === undefined) throw new Incomparable('There is no reference to compare with.')
  return reference
}

const isDocument = async (value: Json): Promise<boolean> =>
  typeof value === 'string' ? (await readJson(value)) !== undefined : Array.isArray(value) || isJsonObject(value)

/** The value of a JSON text, and any other value as it is. */
async function contentOf(value: Json): Promise<Json> {
  const content = typeof value === 'string' ? await readJson(value) : undefined
  return content === undefined ? value : content
}

async function documentOf(value: Json): Promise<Json> {
  const document = typeof value === 'string' ? await readJson(value) : value
  if (document === undefined) throw new Incomparable('A text to compare as JSON is not valid JSON.')
  return document
}
