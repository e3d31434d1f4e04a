import { Problem } from '@spanhouse/model'
import { compareSpans, compileFirstSpans, compileSpanQuery, pageLimit, type SpansOf } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { isResultTooLarge } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'
import { SPAN_COLUMNS } from './row.ts'
import { readSpans, type StoredSpan } from './stored-span.ts'

/** A page ends before the span with which it would have more bytes, unless it is the first. */
export const PAGE_BYTES_MAX = 64 * 1024 * 1024

/** How many times fewer spans are read where those asked for are more than the engine answers at once. */
const SHRINK = 8

/** Spans in the order of a query. */
export interface SpanPage {
  spans: StoredSpan[]
  /** There may be more. A page that is full can have fewer spans than were asked for, where they are large. */
  isFull: boolean
}

/** One page of the spans that a query asks for, in its order. */
export async function readSpanPage(engine: Engine, { project_id, query }: SpansOf, holder?: Holder): Promise<SpanPage> {
  for (let limit = pageLimit(query.windowing, 'span'); ; limit = Math.ceil(limit / SHRINK)) {
    const shorter = { ...query, windowing: { ...query.windowing, limit } }
    try {
      return await readPage(engine, { project_id, query: shorter, limit }, holder)
    } catch (error) {
      if (limit === 1 || !isResultTooLarge(error)) throw error
    }
  }
}

/**
 * As {@link readSpanPage}, for answers that cannot say where to go on: throws a Problem `query_limit` where the page would
 * end early.
 */
export async function readWholePage(engine: Engine, asked: SpansOf, holder?: Holder): Promise<StoredSpan[]> {
  const { spans, isFull } = await readSpanPage(engine, asked, holder)
  if (isFull && spans.length < pageLimit(asked.query.windowing, 'span')) throw pageTooLarge()
  return spans
}

/** For answers that cannot say where to go on. */
export const pageTooLarge = (): Problem =>
  new Problem(
    'query_limit',
    `The spans come to more than ${PAGE_BYTES_MAX} bytes, which is the most: ask for fewer with \`limit\`, or in pages by ` +
      'POST /spans/query or /traces/query.',
  )

/**
 * Spans in the order of time are read in one pass where they can be, with one more than the page has; they are the page unless its
 * last span shares its time with spans that are left out.
 */
async function readPage(
  engine: Engine,
  { project_id, query, limit }: SpansOf & { limit: number },
  holder: Holder | undefined,
): Promise<SpanPage> {
  const asked = { project_id, query, columns: SPAN_COLUMNS }
  const statement = compileFirstSpans(asked)
  if (statement) {
    const first = await readSpans(engine, statement, holder)
    const count = countWithin(first, limit)
    if (first[count]?.start_time !== first[count - 1]?.start_time || first.length === 0) {
      const page = cut(first, count, limit, holder)
      page.spans.sort(compareSpans)
      if (query.windowing.order === 'descending') page.spans.reverse()
      return page
    }
    holder?.release(bytesOf(first))
  }
  const spans = await readSpans(engine, compileSpanQuery(asked), holder)
  return cut(spans, countWithin(spans, limit), limit, holder)
}

/** How many of the first spans are a page. */
function countWithin(spans: readonly StoredSpan[], limit: number): number {
  let bytes = 0
  const end = spans.findIndex((span, at) => {
    bytes += span.byteLength
    return at > 0 && (at === limit || bytes > PAGE_BYTES_MAX)
  })
  return end < 0 ? spans.length : end
}

function cut(spans: readonly StoredSpan[], count: number, limit: number, holder: Holder | undefined): SpanPage {
  holder?.release(bytesOf(spans.slice(count)))
  return { spans: spans.slice(0, count), isFull: count === limit || count < spans.length }
}

const bytesOf = (spans: readonly StoredSpan[]): number => spans.reduce((sum, span) => sum + span.byteLength, 0)
