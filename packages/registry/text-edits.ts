import { DeltaRefusal } from './delta-refusal.ts'

export interface TextEdit {
  old_text: string
  new_text: string
}

/** `exact`: as it stands; `auto`: failing that, with any blank space in place of any other. */
export type MatchMode = 'auto' | 'exact'

interface Place extends TextEdit {
  start: number
  end: number
}

/** The text with all edits made. Each old text stands in it exactly once and none overlaps another; something changes. */
export function editText(text: string, edits: readonly TextEdit[], mode: MatchMode): string {
  const places = edits.map(edit => placeOf(text, edit, mode)).toSorted((a, b) => a.start - b.start)
  if (places.some((place, index) => place.start < (places[index - 1]?.end ?? 0)))
    throw new DeltaRefusal('text_edits_overlap', 'Two edits change the same part of the text.')
  const kept = places.map((place, index) => text.slice(places[index - 1]?.end ?? 0, place.start) + place.new_text)
  const edited = kept.join('') + text.slice(places.at(-1)?.end ?? 0)
  if (edited === text) throw new DeltaRefusal('no_change', 'The edits leave the text as it is.')
  return edited
}

function placeOf(text: string, edit: TextEdit, mode: MatchMode): Place {
  const { old_text } = edit
  if (old_text === '') throw new DeltaRefusal('empty_old_text', 'old_text is empty.')
  const exact = spans(text, new RegExp(RegExp.escape(old_text), 'g'))
  const found = exact.length === 0 && mode === 'auto' ? spans(text, withAnyBlanks(old_text)) : exact
  const [span] = found
  if (!span) throw new DeltaRefusal('text_not_found', 'old_text does not stand in the text.')
  if (found.length > 1) throw new DeltaRefusal('text_not_unique', 'old_text stands in the text more than once.')
  return { ...edit, start: span[0], end: span[1] }
}

/** A text of nothing but blanks is looked for as it stands. */
function withAnyBlanks(old_text: string): RegExp {
  const words = old_text.split(/\s+/)
  const source = old_text.trim() === '' ? RegExp.escape(old_text) : words.map(word => RegExp.escape(word)).join('\\s+')
  return new RegExp(source, 'g')
}

/** The first two places, overlapping ones included: more is not asked for. */
function spans(text: string, pattern: RegExp): [start: number, end: number][] {
  const found: [number, number][] = []
  for (let match = pattern.exec(text); match && found.length < 2; match = pattern.exec(text)) {
    found.push([match.index, match.index + match[0].length])
    pattern.lastIndex = match.index + 1
  }
  return found
}
