import { Problem } from '@spanhouse/model'
import {
  compareSpans,
  compileFewSpans,
  compileFirstSpans,
  compileSpanQuery,
  compileSpansSince,
  pageLimit,
  type SpansOf,
  type Sql,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { isReadTooLarge, isResultTooLarge } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'
import { readEachShard } from './each-shard.ts'
import { RecentPages, recentPageOf } from './recent-pages.ts'
import { SPAN_COLUMNS } from './row.ts'
import { readSpans, type StoredSpan } from './stored-span.ts'

/** A page ends before the span that would exceed this size, unless it is the first. */
export const PAGE_BYTES_MAX = 64 * 1024 * 1024

/** The factor by which fewer spans are read if the requested ones exceed the engine's limit for a result. */
const SHRINK = 8

/** Spans in the order of a query. */
export interface SpanPage {
  spans: StoredSpan[]
  /** Whether there may be more. A full page can have fewer spans than requested if they are large. */
  isFull: boolean
}

/**
 * The maximum limit of a page that each shard of a cluster is asked for, since all but one of these pages are read in
 * vain. Longer ones are merged by a server of the cluster.
 */
const SHARD_PAGE_MAX = 1_000

/** One page of the spans that match a query, in its order. */
export async function readSpanPage(engine: Engine, asked: SpansOf, holder?: Holder): Promise<SpanPage> {
  const limit = pageLimit(asked.query.windowing, 'span')
  if (limit > SHARD_PAGE_MAX) return readPageOf(engine, asked, holder)
  const pages = await readEachShard(engine, shard => readPageOf(shard, asked, holder))
  const [only, ...others] = pages
  return only && others.length === 0 ? only : mergePages(pages, { ...asked, limit }, holder)
}

/** The first spans of all pages. Where a page is full and ends, it is not known what its shard has beyond. */
function mergePages(pages: readonly SpanPage[], { query, limit }: Asked, holder: Holder | undefined): SpanPage {
  const spans = pages.flatMap(page => page.spans).sort(compareSpans)
  if (query.windowing.order === 'descending') spans.reverse()
  const ends = pages.flatMap(page => (page.isFull ? spans.indexOf(page.spans.at(-1) as StoredSpan) + 1 : []))
  const page = cut(spans, Math.min(countWithin(spans, limit), ...ends), limit, holder)
  return { ...page, isFull: page.isFull || ends.length > 0 }
}

async function readPageOf(engine: Engine, { project_id, query }: SpansOf, holder?: Holder): Promise<SpanPage> {
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
 * Like {@link readSpanPage}, for responses that cannot carry a cursor: throws a Problem `query_limit` if the page would
 * end early.
 */
export async function readWholePage(engine: Engine, asked: SpansOf, holder?: Holder): Promise<StoredSpan[]> {
  const { spans, isFull } = await readSpanPage(engine, asked, holder)
  if (isFull && spans.length < pageLimit(asked.query.windowing, 'span')) throw pageTooLarge()
  return spans
}

/** For responses that cannot carry a cursor. */
export const pageTooLarge = (): Problem =>
  new Problem(
    'query_limit',
    `The spans exceed the maximum of ${PAGE_BYTES_MAX} bytes: request fewer with \`limit\`, or in pages with ` +
      'POST /spans/query or /traces/query.',
  )

type Asked = SpansOf & { limit: number }

const RECENT = new WeakMap<Engine, RecentPages>()

function recentPagesOf(engine: Engine): RecentPages {
  const pages = RECENT.get(engine) ?? new RecentPages()
  RECENT.set(engine, pages)
  return pages
}

/** Searches only where the same page was the last time, if that is known and enough. */
async function readPage(engine: Engine, asked: Asked, holder: Holder | undefined): Promise<SpanPage> {
  const name = recentPageOf(asked, asked.limit)
  if (name === undefined) return searchPage(engine, asked, holder)
  const pages = recentPagesOf(engine)
  const since = pages.endOf(name)
  const again = since === undefined ? undefined : await readSince(engine, { ...asked, since }, holder)
  const page = again ?? (await searchPage(engine, asked, holder))
  const last = page.spans.at(-1)
  if (last && page.spans.length === asked.limit) pages.keep(name, last.start_time)
  else pages.forget(name)
  return page
}

/** The page among the spans since a time; undefined if it is not full, or takes too much to read. */
async function readSince(
  engine: Engine,
  { project_id, query, limit, since }: Asked & { since: number },
  holder: Holder | undefined,
): Promise<SpanPage | undefined> {
  const statement = compileSpansSince({ project_id, query, since, columns: SPAN_COLUMNS })
  const spans = await readUnlessLarge(engine, statement, holder)
  if (spans?.length === limit) return cut(spans, countWithin(spans, limit), limit, holder)
  if (spans) holder?.release(bytesOf(spans))
  return undefined
}

/** The spans of a statement; undefined if it would take too much to read. */
async function readUnlessLarge(
  engine: Engine,
  statement: Sql,
  holder: Holder | undefined,
): Promise<StoredSpan[] | undefined> {
  try {
    return await readSpans(engine, statement, holder)
  } catch (error) {
    if (!isReadTooLarge(error)) throw error
    return undefined
  }
}

/**
 * Spans ordered by time are read in one pass where possible, with one more than the page has. They form the page unless
 * its last span has the same time as omitted spans.
 */
async function searchPage(
  engine: Engine,
  { project_id, query, limit }: Asked,
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
  const few = compileFewSpans(asked)
  const found = few && (await readUnlessLarge(engine, few, holder))
  const spans = found ?? (await readSpans(engine, compileSpanQuery(asked), holder))
  return cut(spans, countWithin(spans, limit), limit, holder)
}

/** How many of the first spans fit on a page. */
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
