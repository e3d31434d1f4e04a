import { indexOfText } from '@spanhouse/model'
import { DeltaRefusal } from './delta-refusal.ts'

export interface TextEdit {
  old_text: string
  new_text: string
}

/** `exact` matches the text exactly. `auto` falls back to matching any run of whitespace with any other. */
export type MatchMode = 'auto' | 'exact'

interface Place extends TextEdit {
  start: number
  end: number
}

/** Length of a text that can be edited, in characters: it is searched once per edit. */
const EDITED_LENGTH_MAX = 1_000_000

/**
 * Applies all edits to the text. Each old text must occur exactly once, edits must not overlap, and the text must
 * change.
 */
export function editText(text: string, edits: readonly TextEdit[], mode: MatchMode): string {
  if (text.length > EDITED_LENGTH_MAX)
    throw new DeltaRefusal(
      'text_too_large',
      `The text is longer than ${EDITED_LENGTH_MAX} characters; use set instead.`,
    )
  const searched = new SearchedText(text)
  const places = edits.map(edit => placeOf(searched, edit, mode)).toSorted((a, b) => a.start - b.start)
  if (places.some((place, index) => place.start < (places[index - 1]?.end ?? 0)))
    throw new DeltaRefusal('text_edits_overlap', 'Two edits change the same part of the text.')
  const kept = places.map((place, index) => text.slice(places[index - 1]?.end ?? 0, place.start) + place.new_text)
  const edited = kept.join('') + text.slice(places.at(-1)?.end ?? 0)
  if (edited === text) throw new DeltaRefusal('no_change', 'The edits do not change the text.')
  return edited
}

/** The start and end of a match in a text. */
type Stretch = readonly [start: number, end: number]

function placeOf(text: SearchedText, edit: TextEdit, mode: MatchMode): Place {
  const { old_text } = edit
  if (old_text === '') throw new DeltaRefusal('empty_old_text', 'old_text is empty.')
  const exact = text.find(old_text)
  const found = exact.length === 0 && mode === 'auto' ? text.findWithAnyBlanks(old_text) : exact
  const [stretch] = found
  if (!stretch) throw new DeltaRefusal('text_not_found', 'old_text was not found in the text.')
  if (found.length > 1) throw new DeltaRefusal('text_not_unique', 'old_text occurs more than once in the text.')
  return { ...edit, start: stretch[0], end: stretch[1] }
}

const BLANKS = /\s+/g

/** Finds the first two matches of a text, including overlapping ones; no more are needed. */
class SearchedText {
  readonly #text: string
  /**
   * The text with each run of whitespace collapsed to one space, and how many characters each run lost. Created on
   * demand.
   */
  #collapsed: { text: string; runs: { at: number; more: number }[] } | undefined

  constructor(text: string) {
    this.#text = text
  }

  find(sought: string): Stretch[] {
    return stretches(this.#text, sought)
  }

  /** Matches any run of whitespace with any other. A text of whitespace only is not matched this way. */
  findWithAnyBlanks(sought: string): Stretch[] {
    if (sought.trim() === '') return []
    this.#collapsed ??= {
      text: this.#text.replaceAll(BLANKS, ' '),
      runs: [...this.#text.matchAll(BLANKS)].map(run => ({ at: run.index, more: run[0].length - 1 })),
    }
    const { text, runs } = this.#collapsed
    return stretches(text, sought.replaceAll(BLANKS, ' ')).map(([start, end]) => [
      placeBefore(runs, start),
      placeBefore(runs, end),
    ])
  }
}

function stretches(text: string, sought: string): Stretch[] {
  const first = indexOfText(text, sought)
  const second = first === -1 ? -1 : indexOfText(text, sought, first + 1)
  return [first, second].filter(at => at !== -1).map(at => [at, at + sought.length])
}

/** Converts a position in the collapsed text to one in the original text. */
function placeBefore(runs: readonly { at: number; more: number }[], place: number): number {
  let original = place
  for (const { at, more } of runs) {
    if (at >= original) break
    original += more
  }
  return original
}
