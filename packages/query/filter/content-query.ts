import { invalid } from '@spanhouse/model'
import type { RawCondition } from '../raw-condition.ts'
import { CONTENT_WORDS_MAX, type ContentAlternative, type ContentQuery, type Phrase } from './filter.ts'
import { boundedText } from './parse-value.ts'

/** The characters of a word, as a regular expression for both JavaScript and RE2: letters, marks and digits. */
export const WORD_CHARACTERS = '\\p{L}\\p{M}\\p{N}'

/** Each word of a text. */
export const WORD = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu')
/**
 * A quoted text (the closing quote may be missing) or text without whitespace and quotes, each optionally after a
 * minus.
 */
const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/gu

/** The cost in conditions. */
const PHRASE_COST = 10

interface Term {
  readonly isExcluded: boolean
  readonly isQuoted: boolean
  readonly words: Phrase
}

/**
 * Web-search syntax: all words are required, "quoted words" must be consecutive, `or` separates alternatives, `-`
 * before a word or quote excludes it. Punctuation inside a word splits it into a phrase. Any text is a valid query; one
 * without words matches nothing. Throws `invalid` if the value is not a string or has too many words.
 */
export function parseContentQuery({ value, count }: RawCondition): ContentQuery {
  if (typeof value !== 'string') throw invalid('content: the value must be a string')
  const terms = [...boundedText('content', value).matchAll(TERM)].map(toTerm)
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)
  if (words > CONTENT_WORDS_MAX) throw invalid(`content: at most ${CONTENT_WORDS_MAX} words are allowed`)
  count(PHRASE_COST * terms.length)
  const alternatives = splitAlternatives(terms).map(toAlternative)
  return alternatives.filter(({ all, none }) => all.length + none.length > 0)
}

function toTerm([, minus, quoted, bare]: RegExpExecArray): Term {
  const words = (quoted ?? bare ?? '').toLowerCase().match(WORD) ?? []
  return { isExcluded: minus === '-', isQuoted: quoted !== undefined, words: [...words] }
}

/** An `or` separates only between two terms: at the start, at the end and after another `or` it is a word. */
function splitAlternatives(terms: readonly Term[]): Term[][] {
  const alternatives: Term[][] = [[]]
  terms.forEach((term, index) => {
    const current = alternatives.at(-1) as Term[]
    if (isOr(term) && current.length > 0 && index < terms.length - 1) alternatives.push([])
    else current.push(term)
  })
  return alternatives
}

const isOr = ({ isExcluded, isQuoted, words }: Term): boolean =>
  !isExcluded && !isQuoted && words.length === 1 && words[0] === 'or'

function toAlternative(terms: readonly Term[]): ContentAlternative {
  const phrases = (isExcluded: boolean): readonly Phrase[] =>
    terms.filter(term => term.isExcluded === isExcluded && term.words.length > 0).map(term => term.words)
  return { all: phrases(false), none: phrases(true) }
}
