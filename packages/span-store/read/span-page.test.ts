import type { JsonObject, SpanJson } from '@spanhouse/model'
import {
  compileFewSpans,
  compileFirstSpans,
  compileSpanQuery,
  compileSpansSince,
  nextWindowing,
  parseSpanQuery,
  sql,
} from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { isReadTooLarge } from '../engine/failures.ts'
import { metered, Usage } from '../engine/usage.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { SPAN_COLUMNS } from './row.ts'
import { readSpanPage } from './span-page.ts'
import { positionOf, readSpans } from './stored-span.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }
const OF_ONE_COLOUR = { field: 'attributes', key: 'colour', operator: 'is', value: 'red' }
/** All spans of one colour have a session of its name. */
const OF_ONE_SESSION = { field: 'attributes', key: 'ag.session.id', operator: 'is', value: 'red' }
/** A condition that no index serves. */
const NAMED = { field: 'status_code', operator: 'is_not', value: 'STATUS_CODE_ERROR' }
const START = 1_770_000_000_000_000

// Few times and ids, so that pages end between spans of one time, and between others.
const someSpans = fc.uniqueArray(
  fc.record({
    micros: fc.integer({ min: 0, max: 4 }),
    trace: fc.integer({ min: 1, max: 300 }),
    span: fc.integer({ min: 1, max: 3 }),
    colour: fc.constantFrom('red', 'red', 'blue'),
    isRoot: fc.boolean(),
  }),
  { minLength: 8, maxLength: 20, selector: one => one.trace },
)

test('pages are in order and without a gap, in one pass or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        spans: someSpans,
        order: fc.constantFrom('ascending', 'descending'),
        limit: fc.integer({ min: 1, max: 6 }),
        conditions: fc.constantFrom<JsonObject[]>(
          [IS_ROOT],
          [IS_ROOT, OF_ONE_COLOUR],
          [OF_ONE_SESSION],
          [IS_ROOT, OF_ONE_SESSION],
        ),
      }),
      async ({ spans, order, limit, conditions }) => {
        const project_id = newProject()
        await write(project_id, spans)
        const filtering = { conditions }
        const all = parseSpanQuery({ filtering, windowing: { limit: 100, order } }, 'span')
        const statement = compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query: all })
        const expected = (await readSpans(engine, statement)).map(span => span.toJSON())
        const asked = spans.filter(
          ({ colour, isRoot }) =>
            (isRoot || !conditions.includes(IS_ROOT)) && (colour === 'red' || conditions.every(one => one === IS_ROOT)),
        )
        expect(expected).toHaveLength(asked.length)
        expect((await readPage(project_id, { filtering, windowing: { limit: 100, order } })).spans).toEqual(expected)
        const seen: SpanJson[] = []
        let windowing: JsonObject | undefined = { limit, order }
        while (windowing !== undefined) {
          const page = await readPage(project_id, { filtering, windowing })
          expect(page.spans.length).toBeLessThanOrEqual(limit)
          seen.push(...page.spans)
          windowing = page.next
        }
        expect(seen).toEqual(expected)
      },
    ),
    { numRuns: 15 },
  )
})

test('a page in one pass sees what an update that is not merged has changed', async () => {
  const project_id = newProject()
  const roots = [1, 2, 3].map(trace => ({ micros: trace, trace, span: 1, colour: 'red' }))
  await write(project_id, roots)
  await write(project_id, [{ ...(roots[1] as Written), colour: 'blue' }], START + 1)
  const tracesOf = async (colour: string): Promise<number[]> => {
    const conditions = [IS_ROOT, { ...OF_ONE_COLOUR, value: colour }]
    const { spans } = await readPage(project_id, { filtering: { conditions }, windowing: { limit: 10 } })
    return spans.map(span => Number.parseInt(span.trace_id as string, 16) / 65_537)
  }
  expect(await tracesOf('red')).toEqual([3, 1])
  expect(await tracesOf('blue')).toEqual([2])
})

test('a page that is asked for again is what it would be if it was asked for once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        batches: fc.array(someSpans, { minLength: 2, maxLength: 4 }),
        limit: fc.integer({ min: 1, max: 12 }),
        conditions: fc.constantFrom<object[]>(
          [],
          [IS_ROOT],
          [OF_ONE_COLOUR],
          [IS_ROOT, OF_ONE_COLOUR],
          [OF_ONE_SESSION],
          [NAMED],
        ),
      }),
      async ({ batches, limit, conditions }) => {
        const project_id = newProject()
        const query = parseSpanQuery({ filtering: { conditions }, windowing: { limit } }, 'span')
        for (const [batch, roots] of batches.entries()) {
          const others = roots.map(root => ({
            ...root,
            trace: root.trace + 1_000 * batch,
            micros: root.micros + batch,
          }))
          await write(project_id, others)
          const statement = compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query })
          const expected = (await readSpans(engine, statement)).map(span => span.toJSON())
          const page = await readSpanPage(engine, { project_id, query })
          expect(page.spans.map(span => span.toJSON())).toEqual(expected)
          expect(page.isFull).toBe(expected.length === limit)
        }
      },
    ),
    { numRuns: 15 },
  )
})

test('a page whose spans were deleted has older ones instead', async () => {
  const project_id = newProject()
  const roots = [1, 2, 3, 4].map(trace => ({ micros: trace, trace, span: 1, colour: 'red' }))
  await write(project_id, roots)
  const tracesOf = async (): Promise<number[]> => {
    const { spans } = await readPage(project_id, { windowing: { limit: 2 } })
    return spans.map(span => Number.parseInt(span.trace_id as string, 16) / 65_537)
  }
  expect(await tracesOf()).toEqual([4, 3])
  const text = 'DELETE FROM spans WHERE project_id = {project:UUID} AND trace_id = unhex({trace:String})'
  const trace = (4 * 65_537).toString(16).padStart(32, '0')
  await engine.command({ text, params: { project: project_id, trace } })
  expect(await tracesOf()).toEqual([3, 2])
  expect(await tracesOf()).toEqual([3, 2])
})

test('a page that is asked for again reads only what is newer than its end, unless that is much', async () => {
  const project_id = newProject()
  await write(
    project_id,
    Array.from({ length: 200 }, (_, at) => ({ micros: at, trace: at + 1, span: 1, colour: 'red' })),
  )
  const statementsFor = async (conditions: JsonObject[]): Promise<number> => {
    const usage = new Usage()
    await metered(usage, () => readPage(project_id, { filtering: { conditions }, windowing: { limit: 5 } }))
    return usage.statements
  }
  expect(await statementsFor([NAMED])).toBe(1)
  expect(await statementsFor([NAMED])).toBe(1)
  const query = parseSpanQuery({ windowing: { limit: 5 } }, 'span')
  const since = compileSpansSince({ project_id, columns: SPAN_COLUMNS, query, since: START + 150 })
  expect((await readSpans(engine, since)).map(span => span.start_time - START)).toEqual([199, 198, 197, 196, 195])
  const few = sql`${since}, max_rows_to_read = 3`
  await expect(readSpans(engine, few)).rejects.toSatisfy(isReadTooLarge)
})

test('spans of a session are found in one pass, unless they are many', async () => {
  const project_id = newProject()
  const pageOf = async (value: string) => {
    const usage = new Usage()
    const filtering = { conditions: [{ ...OF_ONE_SESSION, value }] }
    const query = parseSpanQuery({ filtering, windowing: { limit: 2 } }, 'span')
    const { spans } = await metered(usage, () => readSpanPage(engine, { project_id, query }))
    return { statements: usage.statements, times: spans.map(span => span.start_time - START) }
  }
  await write(project_id, [{ micros: 1, trace: 1, span: 1, colour: 'red', isRoot: false }])
  expect(await pageOf('red')).toEqual({ statements: 1, times: [1] })
  const text = `INSERT INTO spans (project_id, is_root, start_time, trace_id, span_id, parent_id, session_id)
    SELECT {project:UUID}, false, fromUnixTimestamp64Micro({start:Int64} + number), toFixedString('t', 16),
      reinterpret(number, 'FixedString(8)'), toFixedString('p', 8), 'many'
    FROM numbers(140000)`
  await engine.command({ text, params: { project: project_id, start: START } })
  expect(await pageOf('many')).toEqual({ statements: 2, times: [139_999, 139_998] })
})

test('what has to be looked for everywhere is not read in one pass', () => {
  const passesOf = (conditions: object[]): { first: boolean; few: boolean } => {
    const query = parseSpanQuery({ filtering: { conditions } }, 'span')
    const asked = { project_id: newProject(), columns: SPAN_COLUMNS, query }
    return { first: compileFirstSpans(asked) !== undefined, few: compileFewSpans(asked) !== undefined }
  }
  const isOnePass = (conditions: object[]): boolean => passesOf(conditions).first
  const ofCost = { field: 'attributes', key: 'ag.metrics.tokens.cumulative.total', operator: 'gt', value: 3 }
  expect(isOnePass([IS_ROOT])).toBe(false)
  expect(isOnePass([IS_ROOT, OF_ONE_COLOUR])).toBe(true)
  expect(isOnePass([IS_ROOT, OF_ONE_COLOUR, ofCost])).toBe(true)
  expect(isOnePass([IS_ROOT, ofCost])).toBe(false)
  expect(isOnePass([OF_ONE_COLOUR])).toBe(false)
  expect(isOnePass([])).toBe(false)
  expect(passesOf([OF_ONE_SESSION])).toEqual({ first: false, few: true })
  expect(passesOf([OF_ONE_COLOUR]).few).toBe(false)
})

async function readPage(project_id: string, body: JsonObject) {
  const query = parseSpanQuery(body, 'span')
  const { spans, isFull } = await readSpanPage(engine, { project_id, query })
  const next = nextWindowing(query, spans.map(positionOf), isFull)
  return { spans: spans.map(span => span.toJSON()), next: next && (JSON.parse(JSON.stringify(next)) as JsonObject) }
}

interface Written {
  micros: number
  trace: number
  span: number
  colour: string
  /** By default it is. */
  isRoot?: boolean
}

async function write(project_id: string, written: readonly Written[], accepted_at = START): Promise<void> {
  const sent = { project_id, user_id: newProject(), accepted_at }
  const spans = written.map(({ micros, trace, span, colour, isRoot = true }) => {
    const made = makeSpan({
      trace_id: (trace * 65_537).toString(16).padStart(32, '0'),
      span_id: span.toString(16).padStart(16, '0'),
      start_time: START + micros,
      end_time: START + micros,
    })
    const parent = isRoot ? {} : { parent_id: 'f'.repeat(16) }
    return { ...made, ...parent, session_id: colour, attributes: { ...made.attributes, colour } }
  })
  await new SpanWriter(engine).write(SpanBatch.of(spans.map(span => ({ ...sent, span }))))
}
