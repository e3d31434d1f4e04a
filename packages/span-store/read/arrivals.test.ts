import { microsNow, type Span } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { arrivalsSince, readArrived } from './arrivals.ts'

let engine: Engine
let close: () => Promise<void>

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const project_id = newProject()

const store = (count: number, given: Partial<Span>, first = 0): Promise<unknown> =>
  new SpanWriter(engine).write(
    SpanBatch.of(
      Array.from({ length: count }, (_, at) => ({
        project_id,
        user_id: project_id,
        accepted_at: microsNow(),
        span: makeSpan({ trace_id: idOf(first + at, 32), span_id: idOf(first + at, 16), ...given }),
      })),
    ),
  )

const idOf = (id: number, digits: number): string => String(id + 1).padStart(digits, '0')

const spansSince = async (since: number): Promise<string[]> =>
  (await arrivalsSince(engine, project_id, since)).map(({ span_id }) => span_id)

test('a span that was changed long after it was stored has arrived again, also when its part is merged later', async () => {
  await store(3_000, { span_name: 'first' })
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  const since = microsNow()
  expect(await spansSince(since)).toEqual([])
  await store(1, { span_name: 'second' })
  expect(await spansSince(since)).toEqual([idOf(0, 16)])
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  expect(await spansSince(since)).toEqual([idOf(0, 16)])
})

test('spans that are large, alone or together, are left out', async () => {
  const since = microsNow()
  const data = (bytes: number): Partial<Span> => ({ attributes: { ag: { data: { outputs: 'x'.repeat(bytes) } } } })
  await store(1, data(1_100_000), 10_000)
  await store(20, data(900_000), 20_000)
  await store(1, { span_name: 'small' }, 30_000)
  const arrivals = await arrivalsSince(engine, project_id, since)
  expect(arrivals).toHaveLength(22)
  const names = (await readArrived(engine, project_id, arrivals)).map(({ span }) => span.span_id)
  expect(names).toContain(idOf(30_000, 16))
  expect(names).not.toContain(idOf(10_000, 16))
  expect(names).toHaveLength(1 + 18)
})
