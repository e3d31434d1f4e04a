import { type JsonObject, nextTurn, parseJson } from '@spanhouse/model'
import type { SpanDraft } from '../span-draft.ts'

type DraftJson = Omit<SpanDraft, 'attributes'> & { attributes: JsonObject }

/** Drafts as JSON text in UTF-8: how spans that came as JSON travel to the writer. Others have their turn meanwhile. */
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

/** The drafts that {@link encodeDrafts} wrote. Throws when the bytes are none. */
export function decodeDrafts(bytes: Uint8Array): SpanDraft[] {
  const drafts = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as unknown
  if (!Array.isArray(drafts)) throw new Error('no list of spans')
  return (drafts as DraftJson[]).map(draft => ({ ...draft, attributes: new Map(Object.entries(draft.attributes)) }))
}
