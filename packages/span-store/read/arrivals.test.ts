import { microsNow } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { arrivalsSince } from './arrivals.ts'

let engine: Engine
let close: () => Promise<void>

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const project_id = newProject()

const store = (count: number, span_name: string): Promise<unknown> =>
  new SpanWriter(engine).write(
    SpanBatch.of(
      Array.from({ length: count }, (_, id) => ({
        project_id,
        user_id: project_id,
        accepted_at: microsNow(),
        span: makeSpan({ trace_id: idOf(id, 32), span_id: idOf(id, 16), span_name }),
      })),
    ),
  )

const idOf = (id: number, digits: number): string => String(id + 1).padStart(digits, '0')

const spansSince = async (since: number): Promise<string[]> =>
  (await arrivalsSince(engine, project_id, since)).map(({ span_id }) => span_id)

test('a span that was changed long after it was stored has arrived again, also when its part is merged later', async () => {
  await store(3_000, 'first')
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  const since = microsNow()
  expect(await spansSince(since)).toEqual([])
  await store(1, 'second')
  expect(await spansSince(since)).toEqual([idOf(0, 16)])
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  expect(await spansSince(since)).toEqual([idOf(0, 16)])
})
