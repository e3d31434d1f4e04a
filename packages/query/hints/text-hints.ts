import type { AttributeCondition, ContentAlternative, ContentQuery, Filter } from '../filter/filter.ts'
import { allOf, anyOf, type Sql, sql, text } from '../sql.ts'

/*
 * The engine's index on the text of `data` knows its tokens: runs of ASCII letters and digits and of all other characters
 * beyond ASCII, lower-cased. It tells which rows have a token with certain letters in it, for at least four ASCII letters or
 * digits; `LIKE '%letters%'` on the expression of the index is answered from there, and by reading where a part has no index
 * yet. So a hint asks for letters, never for words: `\n` in front of a word is stored as a letter before it.
 *
 * Stored JSON has such letters wherever the text they stand for has them (see `engineJson`).
 */

/** The index looks through its tokens once for each; the longest tell most. */
const RUNS_MAX = 3
/** Of a search for this or that. */
const ALTERNATIVES_MAX = 10
const RUN = /[A-Za-z0-9]{4,}/g

/**
 * What is true of a span that satisfies a part of a filter: `inData`, which the index answers, or `elsewhere`. Apart,
 * because the engine answers "this or that" from no index, and then reads `data` of every row.
 */
export interface TextHint {
  readonly inData: Sql
  /** Absent: only `data` has what is looked for. */
  readonly elsewhere?: Sql
}

/** Undefined when nothing can be told. */
export function compileTextHint(part: Filter): TextHint | undefined {
  if (part.kind === 'content') return ofContent(part.query)
  if (part.kind === 'attribute') return ofAttribute(part)
  return part.kind === 'group' && part.operator === 'or' ? eitherOf(part.members.map(compileTextHint)) : undefined
}

const ofContent = (query: ContentQuery): TextHint | undefined => eitherOf(query.map(ofAlternative))

/** All words are in `data`, or one of them is elsewhere: attributes and events are few bytes on most spans. */
function ofAlternative({ all }: ContentAlternative): TextHint | undefined {
  const runs = longest(all.flat().flatMap(runsIn))
  if (runs.length === 0) return undefined
  const columns = [sql`attributes`, sql`events`]
  const elsewhere = columns.flatMap(column => runs.map(run => sql`position(lowerUTF8(${column}), ${text(run)}) > 0`))
  return { inData: allOf(runs.map(isInData)), elsewhere: anyOf(elsewhere) }
}

const isInData = (run: string): Sql => sql`lowerUTF8(data) LIKE ${text(`%${run}%`)}`

function ofAttribute({ path, test }: AttributeCondition): TextHint | undefined {
  const isEquality = test.test === 'is' || test.test === 'eq'
  const operand = 'text' in test ? test.text : isEquality ? test.value : undefined
  if (path[0] !== 'ag' || path[1] !== 'data' || typeof operand !== 'string') return undefined
  const runs = longest(runsIn(operand).map(withoutEscape).filter(isNoNumber))
  return runs.length === 0 ? undefined : { inData: allOf(runs.map(isInData)) }
}

/** The engine writes the text form of a list or an object with other escapes for two characters than it is stored with. */
const withoutEscape = (run: string): string => run.replace(/^u?2?0?2?[89]/, '')
/** It writes numbers in other ways, too. */
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
