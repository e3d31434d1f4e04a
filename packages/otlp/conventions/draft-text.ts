import { type JsonObject, nextTurn, parseJson } from '@spanhouse/model'
import type { SpanDraft } from '../span-draft.ts'

type DraftJson = Omit<SpanDraft, 'attributes'> & { attributes: JsonObject }

/**
 * Drafts as JSON text in UTF-8: the form in which spans that came as JSON travel to the writer. Gives other work turns.
 */
export async function encodeDrafts(drafts: readonly SpanDraft[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (const draft of drafts) {
    const text = JSON.stringify({ ...draft, attributes: Object.fromEntries(draft.attributes) })
    pieces.push(Buffer.from(`${pieces.length === 0 ? '[' : ','}${text}`))
    const turn = nextTurn()
    if (turn) await turn
  }
  return Buffer.concat([...pieces, Buffer.from(pieces.length === 0 ? '[]' : ']')])
}

/** Decodes the drafts that {@link encodeDrafts} wrote. Throws if the bytes are not such drafts. */
export function decodeDrafts(bytes: Uint8Array): SpanDraft[] {
  const drafts = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as unknown
  if (!Array.isArray(drafts)) throw new Error('not a list of spans')
  return (drafts as DraftJson[]).map(draft => ({ ...draft, attributes: new Map(Object.entries(draft.attributes)) }))
}
