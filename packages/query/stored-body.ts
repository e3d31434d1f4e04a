import type { Json, JsonObject, Span } from '@spanhouse/model'
import { engineJson } from './compile/engine-json.ts'
import { foldCopies, hasOtherHoles } from './copies.ts'
import { SHORT_DATA_MAX } from './long-data.ts'

/**
 * The attributes and the data of a span as they are stored: JSON texts with one character for each byte. See copies.ts
 * and long-data.ts.
 */
export interface StoredBody {
  /** Without the data, and without what they repeat of it. */
  readonly attributes: string
  /** Empty if the data is long. */
  readonly data: string
  /** Empty if the data is not long. */
  readonly long_data: string
  /** What the attributes repeat. */
  readonly copies: readonly number[]
}

const NO_COPIES: readonly number[] = []

/** What is stored of a span with these attributes, which are not changed. */
export function storedBody(attributes: Span['attributes']): StoredBody {
  const data = engineJson(attributes.ag.data ?? {})
  const others = withoutData(attributes)
  const folded = foldCopies(others, data)
  const written = engineJson(folded?.attributes ?? others)
  const isFolded = folded !== undefined && !hasOtherHoles(written, folded.copies)
  const bytes = bytesOf(data)
  const isLong = bytes.length > SHORT_DATA_MAX
  return {
    attributes: bytesOf(folded && !isFolded ? engineJson(others) : written),
    data: isLong ? '' : bytes,
    long_data: isLong ? bytes : '',
    copies: isFolded ? folded.copies : NO_COPIES,
  }
}

function withoutData(attributes: Span['attributes']): JsonObject {
  // An undefined member is not written, and setting it takes half as long as copying without it.
  const ag = { ...attributes.ag, data: undefined as unknown as Json }
  return { ...attributes, ag }
}

/** The UTF-8 of a text, one character for each byte. */
const bytesOf = (text: string): string =>
  Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
