import {
  blake2b,
  parseUuid,
  REFERENCE_KEYS,
  type SpanHash,
  type SpanLink,
  type SpanReference,
  type Uuid,
} from '@spanhouse/model'

/** Runs of one revision over the rows of one testset must differ by the row, not by the row's origin. */
const HASHED_KEYS: ReadonlySet<string> = new Set(
  REFERENCE_KEYS.filter(key => key !== 'testset_variant' && key !== 'testset_revision'),
)
const DIGEST_BYTES = 16

/**
 * The hash that identifies runs on the same input and subject: BLAKE2b of all known references and named links as JSON
 * with sorted keys and without whitespace. Undefined if a span has neither.
 */
export function hashOf(references: readonly SpanReference[], links: readonly SpanLink[]): SpanHash | undefined {
  if (references.length === 0 && links.length === 0) return undefined
  const entries = new Map<string, object>()
  for (const { id, slug, version, attributes } of references)
    if (typeof attributes.key === 'string' && HASHED_KEYS.has(attributes.key))
      entries.set(attributes.key, { id, slug, version })
  for (const { trace_id, span_id, attributes } of links)
    if (isName(attributes?.key)) entries.set(attributes.key, { span_id, trace_id })
  if (entries.size === 0) return undefined
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1))
  // Object.fromEntries would put numeric names first.
  const text = sorted.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')
  return { id: idOf(`{${text}}`.replaceAll(' ', '')), attributes: { key: 'indirect' } }
}

/** All spans of a run have the same references, and hashing them costs as much as everything else for a small span. */
const ids = new Map<string, Uuid>()
const IDS_MAX = 1_000
const REMEMBERED_LENGTH_MAX = 1_000

function idOf(text: string): Uuid {
  const known = ids.get(text)
  if (known) return known
  const id = parseUuid(blake2b(Buffer.from(text), DIGEST_BYTES).toString('hex')) as Uuid
  if (ids.size === IDS_MAX) ids.clear()
  if (text.length <= REMEMBERED_LENGTH_MAX) ids.set(text, id)
  return id
}

/** Whether a link's `key` names it. */
export const isName = (key: unknown): key is string => typeof key === 'string' && key !== ''
