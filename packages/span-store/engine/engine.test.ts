import { Problem } from '@spanhouse/model'
import { afterEach, expect, test } from 'vitest'
import { openTestEngine } from '../spans.testing.ts'
import type { Engine } from './engine.ts'
import type { Settings } from './http-client.ts'

let close: () => Promise<void>
afterEach(() => close())

async function open(settings: Settings): Promise<(text: string) => Promise<{ v: number }[]>> {
  let engine: Engine
  ;({ engine, close } = await openTestEngine(settings))
  return text => engine.rows({ text, params: {} })
}

test('an answer has nothing in it of a query that failed before on the same connection', async () => {
  const select = await open({ max_execution_time: 1, max_block_size: '1' })
  const slow = select('SELECT number AS v, sleepEachRow(0.2) FROM numbers(50)')
  await expect(slow).rejects.toMatchObject({ code: 'query_timeout' })
  expect(await select('SELECT 42 AS v')).toEqual([{ v: 42 }])
  await expect(select("SELECT throwIf(number = 3, 'stop') AS v FROM numbers(10)")).rejects.toThrow('stop')
  expect(await select('SELECT 43 AS v')).toEqual([{ v: 43 }])
})

test.each([
  [
    'time',
    'SELECT sleepEachRow(0.3) AS v FROM numbers(20)',
    { max_execution_time: 1, max_block_size: '1' },
    'query_timeout',
  ],
  [
    'result',
    'SELECT number AS v FROM numbers(1000000)',
    { max_result_bytes: '1000', result_overflow_mode: 'throw' },
    'query_limit',
  ],
  ['rows', 'SELECT sum(number) AS v FROM numbers(1000000)', { max_rows_to_read: '1000' }, 'query_limit'],
] as const)(
  'a query over its bound on %s is refused by name, never answered in part',
  async (bound, text, settings, code) => {
    const select = await open(settings)
    const failure = await select(text).catch(error => error)
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ code, message: expect.stringContaining(bound) })
  },
)

test('ClickHouse writes an insert before it answers, whatever its default is', async () => {
  const select = await open({})
  expect(await select("SELECT toUInt8(getSetting('async_insert')) AS v")).toEqual([{ v: 0 }])
})
