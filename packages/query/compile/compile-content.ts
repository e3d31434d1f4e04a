import { SENT_ATTRIBUTES } from '../copies.ts'
import { WORD_CHARACTERS } from '../filter/content-query.ts'
import type { ContentQuery, Phrase } from '../filter/filter.ts'
import { SPAN_DATA } from '../long-data.ts'
import { allOf, anyOf, type Sql, sql, text } from '../sql.ts'

/** A document: the string values of one or more JSON texts. */
interface Document {
  /** Stored columns, one of which contains each word of the texts. */
  readonly columns: readonly Sql[]
  /** In the order in which they are searched. */
  readonly texts: readonly Sql[]
}

const ATTRIBUTES: Document = { columns: [SPAN_DATA, sql`attributes`], texts: [SPAN_DATA, SENT_ATTRIBUTES] }
const EVENTS: Document = { columns: [sql`events`], texts: [sql`events`] }

/**
 * Full-text search in the attributes or the events. Spans that do not contain the letters of the required words and
 * phrases are skipped by a search of the undecoded text, at 5 to 7 µs for a span of 5.5 KB. Most of the others are
 * decided by the undecoded text, too; the rest is restored and decoded, at 24 µs. See DECISIONS.md.
 */
export const compileContent = (query: ContentQuery): Sql =>
  anyOf([documentMatches(ATTRIBUTES, query), allOf([sql`events != ''`, documentMatches(EVENTS, query)])])

const documentMatches = (document: Document, query: ContentQuery): Sql =>
  anyOf(
    query.map(({ all, none }) =>
      allOf([
        ...mayBeIn(document, all),
        ...all.map(phrase => isIn(document, phrase)),
        ...none.map(phrase => sql`NOT ${allOf([...mayBeIn(document, [phrase]), isIn(document, phrase)])}`),
      ]),
    ),
  )

/** A phrase is within one value: consecutive words with no other word between them. */
const isIn = ({ columns, texts }: Document, phrase: Phrase): Sql =>
  anyOf([
    ...(mayBeClear(phrase) ? columns.map(column => isClearlyIn(column, phrase)) : []),
    ...texts.map(json => sql`arrayExists(x -> match(x, ${text(phrasePattern(phrase))}), ${valuesOf(json)})`),
  ])

/** Strings, including the colon after those that are keys. */
const STRING = '"(?:[^"\\\\]+|\\\\.)*":?'

/** The string values of a JSON text, decoded and lower-cased, as an array. */
const valuesOf = (json: Sql): Sql =>
  sql`arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), extractAll(${json}, ${text(STRING)})))`

/** Words contain no character with a meaning in regular expressions. */
const phrasePattern = (phrase: Phrase): string =>
  `(?:^|[^${WORD_CHARACTERS}])${phrase.join(`[^${WORD_CHARACTERS}]+`)}(?:$|[^${WORD_CHARACTERS}])`

/**
 * ASCII that separates words both in JSON and in the text that it represents: no quote, no escape, and not what stands
 * for a text of the data (`copies.ts`).
 */
const SEPARATOR = '[ !#-/:-@\\[\\]^_`{|}~]'

/** Whether undecoded JSON shows that a phrase is in one of its values: a comma or a bracket follows the string. */
const isClearlyIn = (json: Sql, phrase: Phrase): Sql =>
  sql`match(lowerUTF8(${json}), ${text(
    `["${SEPARATOR.slice(1)}${phrase.join(`${SEPARATOR}+`)}(?:${SEPARATOR}(?:[^"\\\\]|\\\\.)*)?"[,}\\]]`,
  )})`

/** At least one word must be one that JSON has in strings only; the lower case of a sigma depends on its place. */
const mayBeClear = (phrase: Phrase): boolean =>
  !phrase.every(word => BARE.test(word)) && !phrase.some(word => FINAL_SIGMA.test(word))

/** Words that JSON has outside of strings: `true`, or the `5e` and the `7` of `1.5e-7`. */
const BARE = /^(?:true|false|null|\d+(?:e\d*)?)$/

/** What holds if all phrases are in the document: the letters of words are stored unescaped. */
function mayBeIn({ columns, texts }: Document, all: readonly Phrase[]): Sql[] {
  const phrases = all.filter(phrase => !phrase.some(word => FINAL_SIGMA.test(word)))
  const words = phrases.flat().map(word => anyOf(columns.map(column => hasLetters(column, word))))
  // What separates the words of a phrase may be in both columns.
  const within = phrases.map(phrase => anyOf((phrase.length > 1 ? texts : columns).map(one => hasWords(one, phrase))))
  return [...words, ...within]
}

/** Its lower case depends on the characters around it, which may belong to an escape. */
const FINAL_SIGMA = /[σς]/

/** What may be beside a word in stored form, before it an escape that ends with a letter or digit; may match more. */
const STORED_BETWEEN = `(?:[^${WORD_CHARACTERS}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})`

const hasLetters = (column: Sql, word: string): Sql => sql`position(lowerUTF8(${column}), ${text(word)}) > 0`

const hasWords = (json: Sql, phrase: Phrase): Sql =>
  sql`match(lowerUTF8(${json}), ${text(`${STORED_BETWEEN}${phrase.join(`${STORED_BETWEEN}+`)}[^${WORD_CHARACTERS}]`)})`
