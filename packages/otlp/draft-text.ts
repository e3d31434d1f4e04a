import { type JsonObject, parseJson } from '@spanhouse/model'
import type { SpanDraft } from './span-draft.ts'

type DraftJson = Omit<SpanDraft, 'attributes'> & { attributes: JsonObject }

/** Drafts as JSON text in UTF-8: how spans that came as JSON travel to the writer. */
export const encodeDrafts = (drafts: readonly SpanDraft[]): Uint8Array =>
  Buffer.from(JSON.stringify(drafts.map(draft => ({ ...draft, attributes: Object.fromEntries(draft.attributes) }))))

/** The drafts that {@link encodeDrafts} wrote. Throws when the bytes are none. */
export function decodeDrafts(bytes: Uint8Array): SpanDraft[] {
  const drafts = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as unknown
  if (!Array.isArray(drafts)) throw new Error('no list of spans')
  return (drafts as DraftJson[]).map(draft => ({ ...draft, attributes: new Map(Object.entries(draft.attributes)) }))
}
