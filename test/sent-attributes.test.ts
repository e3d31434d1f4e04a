import { readdirSync, readFileSync } from 'node:fs'
import { isJsonObject, type Json, type JsonObject, type Span } from '@spanhouse/model'
import { decodeTraces, encodeTraces, toSpan } from '@spanhouse/otlp'
import {
  compileFilter,
  compileSpanQuery,
  type Filter,
  fromSpans,
  parseFilter,
  parseSpanQuery,
  printSql,
  sql,
} from '@spanhouse/query'
import { type Engine, readSpans, SPAN_COLUMNS, SpanBatch, SpanWriter, type StoredSpan } from '@spanhouse/span-store'
import { makeSpan, newProject, openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const FIXTURES = new URL('../packages/otlp/fixtures/', import.meta.url)
const PROJECT = newProject()
/** The recordings' texts are too short to be worth a copy. */
const LONGER = ' It is a question of "some" length, as users ask them;\nwith a path like C:\\temp.'

function* textsIn(value: Json, path: readonly string[] = []): Generator<{ path: readonly string[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value }
  else if (isJsonObject(value) || Array.isArray(value))
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, [...path, key])
}

/** Every text of a recording that ends like a sentence is longer, wherever it is, and in JSON inside texts as well. */
function lengthen(value: Json): Json {
  if (typeof value === 'string') {
    const inside = /^[[{"]/.test(value) ? parsed(value) : undefined
    if (inside !== undefined) return JSON.stringify(lengthen(inside))
    return /[a-z][.?]$/.test(value) ? value + LONGER : value
  }
  if (Array.isArray(value)) return value.map(lengthen)
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, lengthen(member as Json)]))
    : value
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function spansOf(file: string): Span[] {
  const recording = lengthen(JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8')))
  return [...decodeTraces(encodeTraces(recording))].map(decoded => toSpan(decoded, 0))
}

const files = readdirSync(FIXTURES).filter(file => file.endsWith('.json'))
/** A trace may be in several recordings. */
const spans = files.flatMap((file, recording) =>
  spansOf(file).map((span, at) => ({
    ...span,
    trace_id: recording.toString(16).padStart(32, '0'),
    span_id: (recording * 1_000 + at + 1).toString(16).padStart(16, '0'),
  })),
)

let engine: Engine
let close: () => Promise<void>
let stored: Map<string, StoredSpan>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
  const sender = { project_id: PROJECT, user_id: PROJECT, accepted_at: 1 }
  await new SpanWriter(engine).write(SpanBatch.of(spans.map(span => ({ ...sender, span }))))
  const query = parseSpanQuery({}, 'span')
  const read = await readSpans(engine, compileSpanQuery({ project_id: PROJECT, columns: SPAN_COLUMNS, query }))
  stored = new Map(read.map(span => [span.span_id, span]))
})
afterAll(() => close())

const sentBy = ({ ag: _, ...sent }: JsonObject): string => JSON.stringify(sent)

test('what clients sent is read as it was sent, in its order, with its numbers', () => {
  for (const span of spans)
    expect(sentBy(stored.get(span.span_id)?.toJSON().attributes as JsonObject)).toBe(sentBy(span.attributes))
})

test('texts that conventions carry over are stored once, for most clients', async () => {
  const [sizes] = await engine.rows<{ sent: number; kept: number; folded: number }>({
    text: `SELECT toUInt32(sum(length(sent_attributes))) AS sent, toUInt32(sum(length(attributes))) AS kept,
      toUInt32(uniqIf(trace_id, notEmpty(copies))) AS folded FROM spans`,
    params: {},
  })
  expect(sizes?.folded).toBeGreaterThan(files.length / 2)
  expect(sizes?.kept).toBeLessThan((sizes?.sent ?? 0) * 0.9)
})

const idsWhere = async (filter: Filter): Promise<string[]> => {
  const text = sql`SELECT lower(hex(span_id)) AS id ${fromSpans(PROJECT, [compileFilter(filter)])}`
  return (await engine.rows<{ id: string }>(printSql(text))).map(({ id }) => id)
}

test('filters find the texts under the keys that clients send', async () => {
  const long = spans.flatMap(span => {
    const { ag: _, resource: _resource, scope: _scope, otlp: _otlp, ...sent } = span.attributes
    return [...textsIn(sent as JsonObject)].filter(({ text }) => text.length > 40).map(found => ({ ...found, span }))
  })
  expect(long.length).toBeGreaterThan(50)
  for (const { span, path, text } of long.filter((_, at) => at % 20 === 0)) {
    const key = path.join('.')
    for (const [operator, value] of [
      ['is', text],
      ['in', ['another', text]],
      ['contains', text.slice(10, 30)],
      ['startswith', text.slice(0, 10)],
      ['endswith', text.slice(-10)],
    ] as const) {
      const filter = parseFilter({ conditions: [{ field: 'attributes', key, operator, value }] }, ['body'])
      expect(await idsWhere(filter as Filter), `${key} ${operator}`).toContain(span.span_id)
    }
  }
})

test('a changed version has the copies of its own data', async () => {
  const text = (word: string): string => `A ${word} text that is long enough to be stored once`
  const version = (word: string): Span =>
    makeSpan({
      trace_id: 'f'.repeat(32),
      span_id: 'f'.repeat(16),
      attributes: { 'input.value': text(word), ag: { type: {}, data: { inputs: { q: text(word) } }, metrics: {} } },
    } as never)
  const writer = new SpanWriter(engine)
  for (const [at, word] of ['first', 'second'].entries())
    await writer.write(
      SpanBatch.of([{ project_id: PROJECT, user_id: PROJECT, accepted_at: at + 1, span: version(word) }]),
    )
  const rows = await engine.rows<{ sent: string; kept: string }>({
    text: `SELECT JSONExtractString(sent_attributes, 'input.value') AS sent, JSONExtractString(attributes, 'input.value') AS kept
      FROM spans WHERE trace_id = unhex(repeat('f', 32))`,
    params: {},
  })
  expect(rows).toEqual([{ sent: text('second'), kept: '\x7f' }])
})
