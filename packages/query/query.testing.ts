import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@clickhouse/client'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { type Json, type JsonObject, type Micros, microsToIso, type Span } from '@spanhouse/model'
import { compileFilter } from './compile/compile-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { compileSearchHints } from './hints/search-hints.ts'
import { searchTermsOf } from './hints/search-terms.ts'
import { inlineParams } from './literals.ts'
import { fromSpans, STATEMENT_SETTINGS } from './page/statements.ts'
import { allOf, anyOf, printSql, type Sql, sql } from './sql.ts'

export const PROJECT = '11111111-1111-4111-8111-111111111111'
export const OTHER_PROJECT = '22222222-2222-4222-8222-222222222222'
/** 2026-02-03T09:15:00Z. */
export const NOON: Micros = Date.UTC(2026, 1, 3, 9, 15) * 1000

/** A row of the span table in tests: ids in hex, times in microseconds, JSON columns as JSON. */
export type SpanRow = { trace_id: string; span_id: string } & Partial<
  Record<'start_time' | 'end_time' | 'created_at' | 'updated_at', Micros> & {
    project_id: string
    parent_id: string
    attributes: JsonObject
    data: JsonObject
    events: Json[]
    links: Json[]
    references: Json[]
    hashes: Json[]
    [column: string]: unknown
  }
>

const TIMES = ['start_time', 'created_at', 'updated_at']
const TEXTS = ['attributes', 'data', 'events', 'links', 'references', 'hashes']

const DDL = fileURLToPath(new URL('../../clickhouse', import.meta.url))

/** The span table in a ClickHouse server of its own. */
export async function openTable() {
  const server = await startTestServer()
  const client = createClient({ url: server.url })
  const command = async (query: string): Promise<void> => {
    await client.command({ query })
  }
  for (const file of readdirSync(DDL).sort())
    for (const statement of readFileSync(join(DDL, file), 'utf8')
      .split(/;\s*$/m)
      .filter(text => text.trim() !== ''))
      await command(statement)
  // JSON has no bytes: rows with hex ids are inserted through a table that stores nothing.
  await command(`CREATE TABLE incoming ENGINE = Null AS SELECT * REPLACE (hex(trace_id) AS trace_id,
    hex(span_id) AS span_id, hex(parent_id) AS parent_id) FROM spans LIMIT 0`)
  await command(`CREATE MATERIALIZED VIEW incoming_spans TO spans AS SELECT * REPLACE (
    toFixedString(unhex(trace_id), 16) AS trace_id, toFixedString(unhex(span_id), 8) AS span_id,
    toFixedString(unhex(parent_id), 8) AS parent_id, parent_id IN ('', '0000000000000000') AS is_root,
    JSONHas(attributes, 'ag', 'type', 'span') AS is_span_type_declared) FROM incoming`)

  const run = async <T>(statement: Sql): Promise<T[]> => {
    const result = await client.query({
      query: inlineParams(printSql(statement)),
      clickhouse_settings: STATEMENT_SETTINGS,
      format: 'JSONEachRow',
    })
    return result.json<T>()
  }
  const insert = async (rows: readonly SpanRow[]): Promise<void> => {
    await client.insert({ table: 'incoming', values: rows.map(toColumns), format: 'JSONEachRow' })
  }
  /** The ids of the spans of {@link PROJECT} that satisfy a condition, ascending. */
  const spanIds = async (condition: Sql): Promise<string[]> => {
    const rows = await run<{ id: string }>(
      sql`SELECT lower(hex(span_id)) AS id ${fromSpans(PROJECT, [sql`(${condition})`])} ORDER BY id`,
    )
    return rows.map(row => row.id)
  }
  const close = async (): Promise<void> => {
    await client.close()
    await server.stop()
  }
  return { command, run, insert, spanIds, close }
}

export type TestTable = Awaited<ReturnType<typeof openTable>>

function toColumns({ end_time, ...row }: SpanRow): Record<string, unknown> {
  const search_terms = searchTermsOf({ attributes: {}, ...row } as unknown as Span)
  // Rows have no duration unless they set one.
  const end_shift = end_time === undefined ? 0 : end_time - (row.start_time ?? NOON)
  const columns = { project_id: PROJECT, start_time: NOON, end_shift, attributes: {}, data: {}, search_terms, ...row }
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, toColumn(name, value)]))
}

function toColumn(name: string, value: unknown): unknown {
  if (TIMES.includes(name))
    return microsToIso(value as Micros)
      .replace('T', ' ')
      .replace('Z', '')
  return TEXTS.includes(name) ? JSON.stringify(value) : value
}

/** A span id for a small number. */
export const spanId = (number: number): string => number.toString(16).padStart(16, '0')
/** A trace id for a small number. */
export const traceId = (number: number): string => number.toString(16).padStart(32, '0')

/** The condition that a filter of the interface compiles to; true without a restriction. */
export function compileJson(filter: unknown): Sql {
  const tree = parseFilter(filter, ['body', 'filtering'])
  return tree === undefined ? sql`true` : compileFilter(tree)
}

/** A condition or group of the interface, and the numbers of the spans that satisfy it. */
export type FilterCase = readonly [filter: object, spans: readonly number[]]

/**
 * The spans that the cases select, to be compared with {@link expectedOf}. Throws if one selects less with index hints
 * than without.
 */
export async function selectedBy(table: TestTable, cases: readonly FilterCase[]): Promise<string[]> {
  const selected: string[] = []
  for (const [filter] of cases) {
    const condition = compileJson({ conditions: [filter] })
    const ids = await table.spanIds(condition)
    const ways = compileSearchHints(parseFilter({ conditions: [filter] }, ['body', 'filtering']))
    const hints = anyOf(ways.map(allOf))
    const hinted = await table.spanIds(allOf([hints, condition]))
    if (hinted.join() !== ids.join()) throw new Error(`the search hints hide spans from ${JSON.stringify(filter)}`)
    selected.push(
      caseLine(
        filter,
        ids.map(id => Number.parseInt(id, 16)),
      ),
    )
  }
  return selected
}

export const expectedOf = (cases: readonly FilterCase[]): string[] =>
  cases.map(([filter, spans]) => caseLine(filter, spans))

const caseLine = (filter: object, spans: readonly number[]): string => `${JSON.stringify(filter)} -> ${spans.join(' ')}`

/** The SQL and parameters of all cases, as the committed text. */
export const printedCases = (cases: readonly FilterCase[]): string =>
  cases
    .map(([filter]) => `-- ${JSON.stringify(filter)}\n${printed(compileJson({ conditions: [filter] }))}\n`)
    .join('\n')

/** SQL and its parameters as text. */
export function printed(statement: Sql): string {
  const { text, params } = printSql(statement)
  const lines = Object.entries(params).map(([name, value]) => `--   ${name}: ${JSON.stringify(value)}`)
  return [...lines, text].join('\n')
}
