import type { AttributeCondition, ContentAlternative, ContentQuery, Filter } from '../filter/filter.ts'
import { SPAN_DATA } from '../long-data.ts'
import { allOf, anyOf, type Sql, sql, text } from '../sql.ts'

/*
 * The engine's index on the text of the data contains tokens: runs of ASCII letters and digits and of all non-ASCII
 * characters, lower-cased. It finds the rows with a token that contains certain letters, for at least four ASCII
 * letters or digits. `LIKE '%letters%'` on the index expression is answered from the index, and by reading the data in
 * parts that have no index yet. So a hint asks for letters, never for words: a `
 * ` before a word is stored as a letter before it.
 *
 * Stored JSON contains such letters wherever the text it represents does (see `engineJson`).
 */

/** The index scans its tokens once per run; the longest runs are the most selective. */
const RUNS_MAX = 3
/** Alternatives of a search with `or`. */
const ALTERNATIVES_MAX = 10
const RUN = /[A-Za-z0-9]{4,}/g

/**
 * What holds for a span that satisfies a part of a filter: `inData`, which the index answers, or `elsewhere`. They are
 * separate because the engine answers a disjunction from no index, and then reads the data of every row.
 */
export interface TextHint {
  readonly inData: Sql
  /** Absent if only the data can contain the text. */
  readonly elsewhere?: Sql
}

/** Undefined if no hint can be derived. */
export function compileTextHint(part: Filter): TextHint | undefined {
  if (part.kind === 'content') return ofContent(part.query)
  if (part.kind === 'attribute') return ofAttribute(part)
  return part.kind === 'group' && part.operator === 'or' ? eitherOf(part.members.map(compileTextHint)) : undefined
}

const ofContent = (query: ContentQuery): TextHint | undefined => eitherOf(query.map(ofAlternative))

/** All words are in the data, or one of them is elsewhere: attributes and events are small on most spans. */
function ofAlternative({ all }: ContentAlternative): TextHint | undefined {
  const runs = longest(all.flat().flatMap(runsIn))
  if (runs.length === 0) return undefined
  const columns = [sql`attributes`, sql`events`]
  const elsewhere = columns.flatMap(column => runs.map(run => sql`position(lowerUTF8(${column}), ${text(run)}) > 0`))
  return { inData: allOf(runs.map(isInData)), elsewhere: anyOf(elsewhere) }
}

const isInData = (run: string): Sql => sql`lowerUTF8(${SPAN_DATA}) LIKE ${text(`%${run}%`)}`

function ofAttribute({ path, test }: AttributeCondition): TextHint | undefined {
  const isEquality = test.test === 'is' || test.test === 'eq'
  const operand = 'text' in test ? test.text : isEquality ? test.value : undefined
  if (path[0] !== 'ag' || path[1] !== 'data' || typeof operand !== 'string') return undefined
  const runs = longest(runsIn(operand).map(withoutEscape).filter(isNoNumber))
  return runs.length === 0 ? undefined : { inData: allOf(runs.map(isInData)) }
}

/** For two characters the engine writes other escapes in the text form of a list or an object than are stored. */
const withoutEscape = (run: string): string => run.replace(/^u?2?0?2?[89]/, '')
/** The engine also writes numbers differently. */
const isNoNumber = (run: string): boolean => run.length >= 4 && /[a-df-z]/.test(run)

const runsIn = (operand: string): string[] => operand.match(RUN)?.map(run => run.toLowerCase()) ?? []

const longest = (runs: readonly string[]): string[] =>
  [...new Set(runs)].sort((one, other) => other.length - one.length).slice(0, RUNS_MAX)

function eitherOf(hints: readonly (TextHint | undefined)[]): TextHint | undefined {
  const known = hints.filter(hint => hint !== undefined)
  if (known.length === 0 || known.length < hints.length || known.length > ALTERNATIVES_MAX) return undefined
  const elsewhere = known.map(hint => hint.elsewhere).filter(hint => hint !== undefined)
  const inData = anyOf(known.map(hint => hint.inData))
  return elsewhere.length === 0 ? { inData } : { inData, elsewhere: anyOf(elsewhere) }
}
