import type { SpanId, TraceId, Uuid } from '@spanhouse/model'
import { attributeText } from '../compile/place.ts'
import { SPAN_DATA } from '../long-data.ts'
import { identifier, int, join, type Sql, sql, text, texts } from '../sql.ts'
import { fromPlaces, type Places, POSITION } from './rows.ts'
import { SETTINGS } from './statements.ts'

/* What the rows of a list say: short previews of their inputs and outputs. */

/** Characters of an input or output that a row shows a part of. */
const PREVIEW_CHARACTERS = 1_000

/** Characters of an attribute that a row shows. */
export const VALUE_CHARACTERS_MAX = 1_000

/** What stands before the text of a message; in a text of JSON it is escaped, and may have a space in it. */
const BEFORE_TEXT = ['"content":"', '"text":"']
const BEFORE_TEXT_ESCAPED = ['content', 'text'].flatMap(name => [`\\"${name}\\":\\"`, `\\"${name}\\": \\"`])

/** Of a long JSON text the beginning and, of a chat, the beginning of the newest text in it. */
const preview = (member: 'inputs' | 'outputs'): Sql => {
  const raw = sql`JSONExtractRaw(${SPAN_DATA}, ${text(member)})`
  const short = sql`length(${raw}) <= ${int(2 * PREVIEW_CHARACTERS)}`
  const fromEnd = (before: readonly string[]): Sql =>
    sql`multiSearchFirstPosition(reverse(${raw}), ${texts(before.map(one => [...one].reverse().join('')))})`
  const place = sql`if(startsWith(${raw}, '"'), ${fromEnd(BEFORE_TEXT_ESCAPED)}, ${fromEnd(BEFORE_TEXT)})`
  const isChat = sql`multiSearchAny(${raw}, ${texts(['"role":', '\\"role\\":'])})`
  const newest = sql`if(${place} > 0 AND ${isChat}, substring(${raw}, length(${raw}) - ${place} + 2), '')`
  const beginnings = [sql`${raw}`, newest].map(one => sql`substringUTF8(${one}, 1, ${int(PREVIEW_CHARACTERS)})`)
  return sql`if(${short}, ${raw}, concat(${join(beginnings, sql`, '\n', `)})) AS ${identifier(member)}`
}

/**
 * What the rows at known places say, and the beginning of their values of some attributes: rows of {@link PreviewRow},
 * in no particular order.
 */
export function compilePreviews(project_id: Uuid, places: Places, attributes: readonly string[]): Sql {
  const values = attributes.map(path => sql`substringUTF8(${attributeText(path)}, 1, ${int(VALUE_CHARACTERS_MAX)})`)
  const own = values.length === 0 ? sql`` : sql`, [${join(values)}] AS own`
  return sql`SELECT ${POSITION}, ${preview('inputs')}, ${preview('outputs')}${own} ${fromPlaces(project_id, places)} ${SETTINGS}`
}

/** A row of {@link compilePreviews}. An empty text: none. */
export interface PreviewRow {
  readonly trace_id: TraceId
  readonly span_id: SpanId
  /**
   * JSON text. Of a long one its beginning, a line feed, which JSON text never contains, and of a chat the newest text
   * in it, from after its opening quotation mark.
   */
  readonly inputs: string
  readonly outputs: string
  /** The values of the attributes that were asked for, as far as a row shows them. */
  readonly own?: readonly string[]
}
