import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compileJson,
  expectedOf,
  type FilterCase,
  NOON,
  OTHER_PROJECT,
  openTable,
  printedCases,
  selectedBy,
  spanId,
  type TestTable,
  traceId,
} from '../query.testing.ts'

const ADA = 'a0000000-0000-4000-8000-000000000001'
const BOB = 'b0000000-0000-4000-8000-000000000002'
const NOON_ISO = '2026-02-03T09:15:00Z'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
  await table.insert([
    {
      trace_id: traceId(1),
      span_id: spanId(1),
      span_name: 'Answer',
      span_type: 'workflow',
      span_kind: 'SPAN_KIND_SERVER',
      status_code: 'STATUS_CODE_OK',
      trace_type: 'invocation',
      session_id: 'chat-42',
      user_id: 'u-7',
      agent_id: 'planner',
      created_by_id: ADA,
      start_time: NOON + 250_000,
      end_time: NOON + 2_000_000,
      created_at: NOON + 3_000_000,
    },
    {
      trace_id: traceId(1),
      span_id: spanId(2),
      parent_id: spanId(1),
      span_name: 'call_model',
      span_type: 'chat',
      status_code: 'STATUS_CODE_ERROR',
      status_message: 'Rate limit: 100%',
      trace_type: 'invocation',
      session_id: 'chat-42',
      user_id: 'u-7',
      created_by_id: BOB,
      updated_at: NOON + 9_000_000,
      updated_by_id: BOB,
      start_time: NOON + 250_001,
      end_time: NOON + 1_500_000,
    },
    {
      trace_id: traceId(256),
      span_id: spanId(256),
      span_name: 'o\'Neil \\ "50%_" \n`;--',
      span_type: 'task',
      trace_type: 'annotation',
      session_id: 'chat-43',
      start_time: NOON,
      status_message: 'Ärger\u0000ÉTÉ',
    },
    // Ids that end in zero bytes, and a parent that does.
    { trace_id: traceId(256), span_id: spanId(512), parent_id: spanId(256), span_name: '', start_time: NOON + 1 },
    { project_id: OTHER_PROJECT, trace_id: traceId(1), span_id: spanId(3), span_name: 'Answer', created_by_id: ADA },
  ])
})
afterAll(() => table.close())

const ALL = [1, 2, 256, 512]

const CASES: Record<string, FilterCase[]> = {
  trace_id: [
    [{ field: 'trace_id', value: traceId(1) }, [1, 2]],
    [{ field: 'trace_id', operator: 'is', value: `0x${traceId(256).toUpperCase()}` }, [256, 512]],
    [{ field: 'trace_id', operator: 'is_not', value: '00000000-0000-0000-0000-000000000001' }, [256, 512]],
    [{ field: 'trace_id', operator: 'in', value: [traceId(256), traceId(7)] }, [256, 512]],
    [{ field: 'trace_id', operator: 'not_in', value: [traceId(256), traceId(7)] }, [1, 2]],
    [{ field: 'trace_id', operator: 'in', value: [] }, []],
    [{ field: 'trace_id', operator: 'not_in', value: [] }, ALL],
  ],
  span_id: [
    [{ field: 'span_id', value: spanId(256) }, [256]],
    [{ field: 'span_id', value: `0x${spanId(2)}` }, [2]],
    [{ field: 'span_id', operator: 'is_not', value: `${spanId(2)}${spanId(2)}` }, [1, 256, 512]],
    [{ field: 'span_id', operator: 'in', value: [spanId(512), spanId(1), spanId(3)] }, [1, 512]],
    [{ field: 'span_id', operator: 'not_in', value: [spanId(512)] }, [1, 2, 256]],
  ],
  parent_id: [
    [{ field: 'parent_id', value: null }, [1, 256]],
    [{ field: 'parent_id' }, [1, 256]],
    [{ field: 'parent_id', operator: 'is_not', value: null }, [2, 512]],
    [{ field: 'parent_id', value: spanId(256) }, [512]],
    [{ field: 'parent_id', operator: 'is_not', value: spanId(256) }, [2]],
    [{ field: 'parent_id', operator: 'in', value: [spanId(1)] }, [2]],
    [{ field: 'parent_id', operator: 'not_in', value: [spanId(1)] }, [512]],
  ],
  enum: [
    [{ field: 'trace_type', value: 'annotation' }, [256]],
    [{ field: 'trace_type', operator: 'is_not', value: 'annotation' }, [1, 2, 512]],
    [{ field: 'span_type', operator: 'in', value: ['chat', 'llm', 'unknown'] }, [2, 512]],
    [{ field: 'span_type', operator: 'not_in', value: ['chat', 'llm', 'unknown'] }, [1, 256]],
    [{ field: 'span_kind', value: 'SPAN_KIND_SERVER' }, [1]],
    [{ field: 'status_code', value: 'STATUS_CODE_ERROR' }, [2]],
    [{ field: 'status_code', value: null }, []],
    [{ field: 'status_code', operator: 'is_not', value: null }, ALL],
  ],
  text: [
    [{ field: 'span_name', value: 'Answer' }, [1]],
    [{ field: 'span_name', value: 'answer' }, []],
    [{ field: 'span_name', value: '' }, [512]],
    [{ field: 'span_name', value: 'o\'Neil \\ "50%_" \n`;--' }, [256]],
    [{ field: 'span_name', operator: 'is_not', value: 'Answer' }, [2, 256, 512]],
    [{ field: 'span_name', operator: 'eq', value: 'Answer' }, [1]],
    [{ field: 'span_name', operator: 'neq', value: 'Answer' }, [2, 256, 512]],
    [{ field: 'span_name', operator: 'gt', value: 'Answer' }, [2, 256]],
    [{ field: 'span_name', operator: 'gte', value: 'Answer' }, [1, 2, 256]],
    [{ field: 'span_name', operator: 'lt', value: 'Answer' }, [512]],
    [{ field: 'span_name', operator: 'lte', value: 'Answer' }, [1, 512]],
    [{ field: 'span_name', operator: 'btwn', value: ['A', 'call_model'] }, [1, 2]],
    [{ field: 'span_name', operator: 'startswith', value: 'aNs' }, [1]],
    [{ field: 'span_name', operator: 'startswith', value: 'aNs', options: { case_sensitive: true } }, []],
    [{ field: 'span_name', operator: 'endswith', value: 'MODEL' }, [2]],
    [{ field: 'span_name', operator: 'contains', value: '_' }, [2, 256]],
    [{ field: 'span_name', operator: 'contains', value: '%' }, [256]],
    [{ field: 'span_name', operator: 'contains', value: '\\' }, [256]],
    [{ field: 'span_name', operator: 'contains', value: "'" }, [256]],
    [{ field: 'span_name', operator: 'contains', value: '' }, ALL],
    [{ field: 'span_name', operator: 'matches', value: 'SWE' }, [1]],
    [{ field: 'span_name', operator: 'matches', value: '.*' }, []],
    [{ field: 'span_name', operator: 'matches', value: 'ANSWER', options: { exact_match: true } }, [1]],
    [{ field: 'span_name', operator: 'matches', value: 'ANSWE', options: { exact_match: true } }, []],
    [
      {
        field: 'span_name',
        operator: 'matches',
        value: 'ANSWER',
        options: { exact_match: true, case_sensitive: true },
      },
      [],
    ],
    [{ field: 'span_name', operator: 'like', value: 'a%R' }, [1]],
    [{ field: 'span_name', operator: 'like', value: 'a%R', options: { case_sensitive: true } }, []],
    [{ field: 'span_name', operator: 'like', value: 'call_model' }, [2]],
    [{ field: 'span_name', operator: 'like', value: '%50\\%\\_%' }, [256]],
    [{ field: 'span_name', operator: 'like', value: '%\\\\%' }, [256]],
    [{ field: 'span_name', operator: 'like', value: '%\\' }, []],
    [{ field: 'span_name', operator: 'like', value: '\\A\\nswer' }, [1]],
    [{ field: 'span_name', operator: 'like', value: '%\n%' }, [256]],
    [{ field: 'span_name', operator: 'like', value: '%' }, ALL],
    [{ field: 'span_name', operator: 'in', value: ['Answer', '', "'"] }, [1, 512]],
    [{ field: 'span_name', operator: 'not_in', value: ['Answer', ''] }, [2, 256]],
    [{ field: 'span_name', operator: 'exists' }, ALL],
    [{ field: 'span_name', operator: 'not_exists' }, []],
    [{ field: 'span_name', value: null }, []],
    [{ field: 'span_name', value: 5 }, []],
    [{ field: 'span_name', operator: 'in', value: [true, 5, 'Answer'] }, [1]],
    [{ field: 'status_message', operator: 'contains', value: 'ÄRGER\u0000été' }, [256]],
    [{ field: 'status_message', operator: 'like', value: '_rger%' }, [256]],
    [{ field: 'status_message', operator: 'contains', value: '' }, [2, 256]],
    [{ field: 'status_message', operator: 'lt', value: 'zzz' }, [2]],
    [{ field: 'status_message', value: null }, [1, 512]],
    [{ field: 'status_message', operator: 'is_not', value: null }, [2, 256]],
    [{ field: 'status_message', operator: 'is_not', value: 'x' }, [2, 256]],
    [{ field: 'status_message', operator: 'neq', value: 'x' }, [2, 256]],
    [{ field: 'status_message', operator: 'not_in', value: ['x'] }, [2, 256]],
    [{ field: 'status_message', operator: 'exists' }, [2, 256]],
    [{ field: 'status_message', operator: 'not_exists' }, [1, 512]],
    // Only roots have these.
    [{ field: 'session_id', value: 'chat-42' }, [1]],
    [{ field: 'session_id', operator: 'startswith', value: 'CHAT' }, [1, 256]],
    [{ field: 'session_id', operator: 'not_exists' }, [2, 512]],
    [{ field: 'session_id', operator: 'is_not', value: 'chat-42' }, [256]],
    [{ field: 'user_id', operator: 'in', value: ['u-7'] }, [1]],
    [{ field: 'agent_id', operator: 'exists' }, [1]],
    [{ field: 'agent_id', value: null }, [2, 256, 512]],
  ],
  time: [
    [{ field: 'start_time', value: NOON_ISO }, [256]],
    [{ field: 'start_time', value: '2026-02-03T10:15:00.250001+01:00' }, [2]],
    [{ field: 'start_time', value: NOON / 1_000_000 }, [256]],
    [{ field: 'start_time', value: String(NOON / 1000) }, [256]],
    [{ field: 'start_time', operator: 'is_not', value: NOON }, [1, 2, 512]],
    [{ field: 'start_time', operator: 'eq', value: NOON * 1000 + 1000 }, [512]],
    [{ field: 'start_time', operator: 'gt', value: NOON + 1 }, [1, 2]],
    [{ field: 'start_time', operator: 'lte', value: NOON + 1 }, [256, 512]],
    [{ field: 'start_time', operator: 'btwn', value: [NOON_ISO, '2026-02-03 09:15:00.25'] }, [1, 256, 512]],
    [{ field: 'start_time', operator: 'in', value: [NOON, '2026-02-03T09:15:00.250001Z'] }, [2, 256]],
    [{ field: 'start_time', operator: 'not_in', value: [NOON] }, [1, 2, 512]],
    [{ field: 'start_time', operator: 'startswith', value: '2026-02-03 09:15:00.25' }, [1, 2]],
    [{ field: 'start_time', operator: 'endswith', value: '09:15:00+00' }, [256]],
    [
      { field: 'start_time', operator: 'matches', value: '2026-02-03 09:15:00.25+00', options: { exact_match: true } },
      [1],
    ],
    [{ field: 'start_time', operator: 'like', value: '2026-02-__ 09:%' }, ALL],
    [{ field: 'end_time', operator: 'gte', value: NOON + 2_000_000 }, [1]],
    [{ field: 'created_at', value: NOON + 3_000_000 }, [1]],
    [{ field: 'updated_at', value: null }, [1, 256, 512]],
    [{ field: 'updated_at', operator: 'is_not', value: null }, [2]],
    [{ field: 'updated_at', operator: 'lt', value: NOON + 10_000_000 }, [2]],
    [{ field: 'updated_at', operator: 'contains', value: '1970' }, []],
    [{ field: 'deleted_at', value: null }, ALL],
    [{ field: 'deleted_at', operator: 'is_not', value: null }, []],
    [{ field: 'deleted_at', operator: 'gte', value: '1970-01-01' }, []],
  ],
  uuid: [
    [{ field: 'created_by_id', value: ADA }, [1]],
    [{ field: 'created_by_id', value: `0x${ADA.replaceAll('-', '')}` }, [1]],
    [{ field: 'created_by_id', operator: 'is_not', value: ADA }, [2]],
    [{ field: 'created_by_id', operator: 'in', value: [ADA.toUpperCase(), BOB] }, [1, 2]],
    [{ field: 'created_by_id', operator: 'not_in', value: [BOB] }, [1]],
    [{ field: 'created_by_id', operator: 'exists' }, [1, 2]],
    [{ field: 'created_by_id', operator: 'not_exists' }, [256, 512]],
    [{ field: 'updated_by_id', value: null }, [1, 256, 512]],
    [{ field: 'deleted_by_id', operator: 'exists' }, []],
    [{ field: 'deleted_by_id', value: null }, ALL],
    [{ field: 'deleted_by_id', value: ADA }, []],
  ],
  groups: [
    [{ conditions: [] }, ALL],
    [{ operator: 'or', conditions: [{ field: 'span_name', value: '' }, { conditions: [] }] }, [512]],
    [{ operator: 'not', conditions: [{ field: 'span_name', value: '' }] }, [1, 2, 256]],
    // Plain complements: spans without a session are not in "session is chat-42".
    [{ operator: 'not', conditions: [{ field: 'session_id', value: 'chat-42' }] }, [2, 256, 512]],
    [{ operator: 'not', conditions: [{ field: 'session_id', operator: 'neq', value: 'chat-42' }] }, [1, 2, 512]],
    [
      { operator: 'nand', conditions: [{ field: 'parent_id' }, { field: 'trace_type', value: 'annotation' }] },
      [1, 2, 512],
    ],
    [{ operator: 'nor', conditions: [{ field: 'parent_id' }, { field: 'trace_type', value: 'unknown' }] }, [2]],
    [
      {
        operator: 'or',
        conditions: [
          { field: 'span_id', value: spanId(1) },
          { field: 'span_name', value: '' },
        ],
      },
      [1, 512],
    ],
    [
      {
        operator: 'and',
        conditions: [
          { operator: 'not', conditions: [{ operator: 'not', conditions: [{ field: 'parent_id' }] }] },
          {
            operator: 'or',
            conditions: [
              { field: 'span_name', value: 'Answer' },
              { field: 'span_name', value: '' },
            ],
          },
        ],
      },
      [1],
    ],
  ],
}

test.each(Object.keys(CASES))('%s: selects', async name => {
  const cases = CASES[name] ?? []
  expect(await selectedBy(table, cases)).toEqual(expectedOf(cases))
})

test.each(Object.keys(CASES))('%s: SQL', async name => {
  await expect(printedCases(CASES[name] ?? [])).toMatchFileSnapshot(`../snapshots/column-${name}.sql`)
})

test('nests as deep as the limit', async () => {
  const nest = (depth: number): object =>
    depth === 0 ? { field: 'span_name', value: 'Answer' } : { operator: 'not', conditions: [nest(depth - 1)] }
  expect(await table.spanIds(compileJson(nest(250)))).toEqual([spanId(1)])
  expect(await table.spanIds(compileJson(nest(249)))).toHaveLength(3)
})

test('takes lists of 100,000 and 1,000 conditions', async () => {
  const ids = Array.from({ length: 100_000 }, (_, index) => traceId(index + 2))
  expect(await table.spanIds(compileJson({ conditions: [{ field: 'trace_id', operator: 'in', value: ids }] }))).toEqual(
    [spanId(256), spanId(512)],
  )
  const names = Array.from({ length: 1000 }, (_, index) => ({ field: 'span_name', value: `it's ${index}` }))
  const filter = { operator: 'or', conditions: [...names.slice(1), { field: 'span_name', value: '' }] }
  expect(await table.spanIds(compileJson(filter))).toEqual([spanId(512)])
})
