import { SENT_ATTRIBUTES } from '../copies.ts'
import { WORD_CHARACTERS } from '../filter/content-query.ts'
import type { ContentAlternative, ContentQuery, Phrase } from '../filter/filter.ts'
import { SPAN_DATA } from '../long-data.ts'
import { allOf, anyOf, join, type Sql, sql, text } from '../sql.ts'

/** A document: the string values of one or more JSON texts. */
interface Document {
  readonly texts: readonly Sql[]
  /** Stored columns, one of which contains each word of the texts. */
  readonly columns: readonly Sql[]
  /** Lower-cased string values, decoded, as an array. */
  readonly values: Sql
}

/** Strings, including the colon after those that are keys. */
const STRING = '"(?:[^"\\\\]+|\\\\.)*":?'

const documentOf = (texts: readonly Sql[], columns = texts): Document => {
  const strings = texts.map(column => sql`extractAll(${column}, ${text(STRING)})`)
  const all = strings.length === 1 ? join(strings) : sql`arrayConcat(${join(strings)})`
  const values = sql`arrayMap(x -> lowerUTF8(JSONExtractString(x)), arrayFilter(x -> NOT endsWith(x, ':'), ${all}))`
  return { texts, columns, values }
}

const ATTRIBUTES = documentOf([SENT_ATTRIBUTES, SPAN_DATA], [sql`attributes`, SPAN_DATA])
const EVENTS = documentOf([sql`events`])

/**
 * Full-text search in the attributes or the events. Reads and decodes all of them, at 24 µs for a span of 5.5 KB; spans
 * that do not contain the letters of the required words and phrases are skipped by a search of the undecoded text, at 5
 * to 7 µs.
 */
export const compileContent = (query: ContentQuery): Sql =>
  anyOf([documentMatches(ATTRIBUTES, query), allOf([sql`events != ''`, documentMatches(EVENTS, query)])])

const documentMatches = (document: Document, query: ContentQuery): Sql =>
  anyOf(
    query.map(alternative =>
      allOf([
        mayMatch(document, alternative),
        ...alternative.all.map(phrase => isIn(document, phrase)),
        ...alternative.none.map(phrase => sql`NOT ${isIn(document, phrase)}`),
      ]),
    ),
  )

/** A phrase is within one value: consecutive words with no other word between them. */
const isIn = ({ values }: Document, phrase: Phrase): Sql =>
  sql`arrayExists(x -> match(x, ${text(phrasePattern(phrase))}), ${values})`

/** Words contain no character with a meaning in regular expressions. */
const phrasePattern = (phrase: Phrase): string =>
  `(?:^|[^${WORD_CHARACTERS}])${phrase.join(`[^${WORD_CHARACTERS}]+`)}(?:$|[^${WORD_CHARACTERS}])`

/** True whenever the alternative holds: the letters of words are stored unescaped. */
function mayMatch({ texts, columns }: Document, { all }: ContentAlternative): Sql {
  const phrases = all.filter(phrase => !phrase.some(word => FINAL_SIGMA.test(word)))
  const words = phrases.flat().map(word => anyOf(columns.map(column => hasLetters(column, word))))
  const several = phrases.filter(phrase => phrase.length > 1)
  return allOf([...words, ...several.map(phrase => anyOf(texts.map(one => hasWords(one, phrase))))])
}

/** Its lower case depends on the characters around it, which may belong to an escape. */
const FINAL_SIGMA = /[σς]/

/** What may separate two words of a phrase in stored form; may match more. */
const STORED_BETWEEN = `(?:[^${WORD_CHARACTERS}]|\\\\[bfnrt]|\\\\u[0-9a-f]{4})+`

const hasLetters = (column: Sql, word: string): Sql => sql`position(lowerUTF8(${column}), ${text(word)}) > 0`

const hasWords = (json: Sql, phrase: Phrase): Sql =>
  sql`match(lowerUTF8(${json}), ${text(phrase.join(STORED_BETWEEN))})`
