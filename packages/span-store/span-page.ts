import type { SpanJson } from '@spanhouse/model'
import {
  compareSpans,
  compileFirstSpans,
  compileSpanQuery,
  pageLimit,
  type SpanRow,
  type SpansOf,
} from '@spanhouse/query'
import type { Engine } from './engine.ts'
import { readSpanRows, readSpans, SPAN_COLUMNS, toSpanJson } from './row.ts'

/**
 * One page of the spans that a query asks for, in its order. Spans in the order of time are read in one pass where they can be;
 * they are the page unless its last span shares its time with spans that were left out.
 */
export async function readSpanPage(engine: Engine, { project_id, query }: SpansOf): Promise<SpanJson[]> {
  const asked = { project_id, query, columns: SPAN_COLUMNS }
  const statement = compileFirstSpans(asked)
  const rows = statement && (await readSpanRows(engine, statement))
  if (rows === undefined || endsInTie(rows, query)) return readSpans(engine, compileSpanQuery(asked))
  const inOrder = rows.slice(0, pageLimit(query.windowing, 'span')).sort(compareSpans)
  if (query.windowing.order === 'descending') inOrder.reverse()
  return inOrder.map(toSpanJson)
}

function endsInTie(rows: readonly SpanRow[], { windowing }: SpansOf['query']): boolean {
  const limit = pageLimit(windowing, 'span')
  return rows.length > limit && rows[limit]?.start_time === rows[limit - 1]?.start_time
}
