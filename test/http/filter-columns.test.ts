import { beforeAll, describe, expect, test } from 'vitest'
import { dashed } from '../otlp.ts'
import { type FilterFixture, MISSING_PARENT, namesIn, openFilterFixture, SPAN, TRACE } from './filter-fixture.ts'

let fixture: FilterFixture

beforeAll(async () => {
  fixture = await openFilterFixture()
})

type Row = [field: string, operator: string, value: unknown, names: string, options?: object]

const check = async ([field, operator, value, names, options]: Row): Promise<void> => {
  const condition = { field, operator, value, options }
  expect(await fixture.spansWith(condition)).toEqual(namesIn(names))
}

const EXACT = { case_sensitive: true }

describe('ids', () => {
  test.each<Row>([
    ['trace_id', 'is', TRACE.a, 'root model tool'],
    ['trace_id', 'is', TRACE.a.toUpperCase(), 'root model tool'],
    ['trace_id', 'is', `0x${TRACE.a}`, 'root model tool'],
    ['trace_id', 'is', dashed(TRACE.a), 'root model tool'],
    ['trace_id', 'is_not', TRACE.a, 'judge foreign orphan bare'],
    ['trace_id', 'in', [TRACE.judge, `0x${TRACE.bare}`], 'judge bare'],
    ['trace_id', 'not_in', [TRACE.a, TRACE.judge], 'foreign orphan bare'],
    ['trace_id', 'in', [], ''],
    ['trace_id', 'not_in', [], '*'],
    ['trace_id', 'is', 'f'.repeat(32), ''],
    ['span_id', 'is', SPAN.tool, 'tool'],
    ['span_id', 'is', `0x${SPAN.tool.toUpperCase()}`, 'tool'],
    ['span_id', 'is', dashed(SPAN.tool + SPAN.tool), 'tool'],
    ['span_id', 'is_not', SPAN.tool, '*-tool'],
    ['span_id', 'in', [SPAN.root, SPAN.bare], 'root bare'],
    ['span_id', 'not_in', [SPAN.root, SPAN.bare], '*-root-bare'],
    ['parent_id', 'is', null, 'root judge foreign bare'],
    ['parent_id', 'is_not', null, 'model tool orphan'],
    ['parent_id', 'is', SPAN.root, 'model'],
    ['parent_id', 'is', MISSING_PARENT, 'orphan'],
    ['parent_id', 'is_not', SPAN.root, 'tool orphan'],
    ['parent_id', 'in', [SPAN.root, SPAN.model], 'model tool'],
    ['parent_id', 'not_in', [SPAN.root, SPAN.model], 'orphan'],
  ])('%s %s %j', (...row) => check(row))
})

describe('words', () => {
  test.each<Row>([
    ['trace_type', 'is', 'annotation', 'judge'],
    ['trace_type', 'is', 'invocation', '*-judge'],
    ['trace_type', 'is_not', 'invocation', 'judge'],
    ['trace_type', 'is', 'unknown', ''],
    ['trace_type', 'in', ['annotation', 'unknown'], 'judge'],
    ['trace_type', 'not_in', ['annotation'], '*-judge'],
    ['span_type', 'is', 'chat', 'model'],
    ['span_type', 'is', 'task', 'judge foreign orphan bare'],
    ['span_type', 'in', ['chat', 'tool', 'rerank'], 'model tool'],
    ['span_type', 'not_in', ['task', 'workflow'], 'model tool'],
    ['span_kind', 'is', 'SPAN_KIND_SERVER', 'root'],
    ['span_kind', 'is', 'SPAN_KIND_UNSPECIFIED', 'bare'],
    ['span_kind', 'is_not', 'SPAN_KIND_INTERNAL', 'root model foreign orphan bare'],
    ['span_kind', 'in', ['SPAN_KIND_PRODUCER', 'SPAN_KIND_CONSUMER'], 'foreign orphan'],
    ['status_code', 'is', 'STATUS_CODE_ERROR', 'model'],
    ['status_code', 'is_not', 'STATUS_CODE_UNSET', 'root model'],
    ['status_code', 'in', ['STATUS_CODE_OK', 'STATUS_CODE_ERROR'], 'root model'],
    ['status_code', 'is', null, ''],
    ['status_code', 'is_not', null, '*'],
  ])('%s %s %j', (...row) => check(row))
})

describe('texts', () => {
  test.each<Row>([
    ['span_name', 'is', 'call_model', 'model'],
    ['span_name', 'is', 'Call_Model', ''],
    ['span_name', 'is', '', 'bare'],
    ['span_name', 'is_not', 'call_model', '*-model'],
    ['span_name', 'is', 5, ''],
    ['span_name', 'eq', 'judge', 'judge'],
    ['span_name', 'neq', 'judge', '*-judge'],
    ['span_name', 'gt', 'call_model', 'tool judge foreign orphan'],
    ['span_name', 'gte', 'call_model', 'model tool judge foreign orphan'],
    ['span_name', 'lt', 'call_model', 'root bare'],
    ['span_name', 'lte', 'call_model', 'root model bare'],
    ['span_name', 'btwn', ['call_model', 'judge'], 'model judge orphan'],
    ['span_name', 'startswith', 'CALL_', 'model orphan'],
    ['span_name', 'startswith', 'CALL_', '', EXACT],
    ['span_name', 'startswith', 'call_', 'model orphan', EXACT],
    ['span_name', 'endswith', 'TOOL', 'tool'],
    ['span_name', 'endswith', 'TOOL', '', EXACT],
    ['span_name', 'contains', 'ÜBER', 'foreign'],
    ['span_name', 'contains', 'ÜBER', '', EXACT],
    ['span_name', 'contains', '_', 'model tool orphan'],
    ['span_name', 'contains', '%', ''],
    ['span_name', 'contains', '', '*'],
    ['span_name', 'startswith', '_all', ''],
    ['span_name', 'matches', 'MODEL', 'model orphan'],
    ['span_name', 'matches', 'call.model', ''],
    ['span_name', 'matches', 'CALL_MODEL', 'model', { exact_match: true }],
    ['span_name', 'matches', 'CALL_MODEL', '', { exact_match: true, case_sensitive: true }],
    ['span_name', 'matches', 'model', '', { exact_match: true }],
    ['span_name', 'like', 'call%', 'model orphan'],
    ['span_name', 'like', 'CALL_MODEL', 'model'],
    ['span_name', 'like', 'CALL%', '', EXACT],
    ['span_name', 'like', '%_tool', 'tool'],
    ['span_name', 'like', '_udge', 'judge'],
    ['span_name', 'like', 'udge', ''],
    ['span_name', 'like', '_ber stra_e', 'foreign'],
    ['span_name', 'like', '%', '*'],
    ['span_name', 'in', ['judge', 'call_model', 'nobody'], 'model judge'],
    ['span_name', 'in', [], ''],
    ['span_name', 'not_in', ['judge', 'call_model'], '*-judge-model'],
    ['span_name', 'exists', undefined, '*'],
    ['span_name', 'not_exists', undefined, ''],
    ['span_name', 'contains', "' OR 1=1 --", ''],
    ['span_name', 'like', '\\', ''],
    ['status_message', 'exists', undefined, 'model'],
    ['status_message', 'not_exists', undefined, '*-model'],
    ['status_message', 'is', null, '*-model'],
    ['status_message', 'is_not', null, 'model'],
    ['status_message', 'is_not', 'nothing', 'model'],
    ['status_message', 'neq', 'nothing', 'model'],
    ['status_message', 'not_in', ['nothing'], 'model'],
    ['status_message', 'contains', 'LIMIT: 100% USED_', 'model'],
    ['status_message', 'contains', '100_', ''],
    ['status_message', 'endswith', '%', ''],
    ['status_message', 'like', 'rate%100\\% used\\_up', 'model'],
    ['status_message', 'gt', 'Q', 'model'],
    ['session_id', 'is', 'chat-42', 'root'],
    ['session_id', 'startswith', 'CHAT-', 'root judge'],
    ['session_id', 'in', ['chat-43'], 'judge'],
    ['session_id', 'exists', undefined, 'root judge'],
    ['session_id', 'not_exists', undefined, '*-root-judge'],
    ['session_id', 'is', null, '*-root-judge'],
    ['user_id', 'is', 'U-7', 'root'],
    ['user_id', 'is', 'u-7', ''],
    ['user_id', 'contains', 'u-', 'root judge'],
    ['user_id', 'not_in', ['U-7'], 'judge'],
    ['agent_id', 'is', 'bot', 'root'],
    ['agent_id', 'not_exists', undefined, '*-root'],
  ])('%s %s %j: %s %j', (...row) => check(row))
})

describe('times', () => {
  const NINE = Date.parse('2026-02-03T09:00:00Z')
  test.each<Row>([
    ['start_time', 'is', '2026-02-03T09:00:00Z', 'root'],
    ['start_time', 'is', '2026-02-03T10:00:00+01:00', 'root'],
    ['start_time', 'is', '2026-02-03T09:00:00', 'root'],
    ['start_time', 'is', NINE / 1000, 'root'],
    ['start_time', 'is', NINE, 'root'],
    ['start_time', 'is', NINE * 1000, 'root'],
    ['start_time', 'is', `${NINE}000000`, 'root'],
    ['start_time', 'is', String(NINE), 'root'],
    ['start_time', 'is_not', '2026-02-03T09:00:00Z', '*-root'],
    ['start_time', 'eq', '2025-12-31T23:59:59.250000Z', 'orphan'],
    ['start_time', 'neq', NINE, '*-root'],
    ['start_time', 'gt', '2026-02-03T09:00:01Z', 'tool judge foreign bare'],
    ['start_time', 'gte', '2026-02-03T09:00:01Z', 'model tool judge foreign bare'],
    ['start_time', 'lt', '2026-02-03T09:00:01Z', 'root orphan'],
    ['start_time', 'lte', '2026-02-03T09:00:01Z', 'root model orphan'],
    ['start_time', 'btwn', ['2026-02-03T09:00:01Z', '2026-02-03T09:01:00Z'], 'model tool judge'],
    ['start_time', 'in', ['2026-02-03T09:00:01Z', NINE], 'root model'],
    ['start_time', 'not_in', [NINE], '*-root'],
    ['start_time', 'startswith', '2026-02-03 09:00', 'root model tool'],
    ['start_time', 'contains', '02-0', '*-orphan'],
    ['start_time', 'endswith', '+00', '*'],
    ['start_time', 'matches', '2025-12-31 23:59:59.25+00', 'orphan', { exact_match: true }],
    ['start_time', 'matches', '2026-02-03 09:00:00+00', 'root', { exact_match: true }],
    ['start_time', 'like', '2026-__-03 %:01:%', 'judge'],
    ['end_time', 'is', '2026-02-03T09:00:04Z', 'root'],
    ['end_time', 'gt', '2026-02-03T09:00:03Z', 'root judge foreign bare'],
    ['created_at', 'gt', '2020-01-01T00:00:00Z', '*'],
    ['created_at', 'lt', '2020-01-01T00:00:00Z', ''],
    ['updated_at', 'is', null, '*-bare'],
    ['updated_at', 'is_not', null, 'bare'],
    ['updated_at', 'gt', '2020-01-01T00:00:00Z', 'bare'],
    ['updated_at', 'lt', '2020-01-01T00:00:00Z', ''],
    ['deleted_at', 'is', null, '*'],
    ['deleted_at', 'is_not', null, ''],
  ])('%s %s %j', (...row) => check(row))
})

describe('users', () => {
  test('are found by their id in every form', async () => {
    const { body } = await fixture.project.get(`/api/spans/?span_id=${SPAN.bare}`)
    const { created_by_id: id } = body.spans[0]
    const rows: Row[] = [
      ['created_by_id', 'is', id, '*'],
      ['created_by_id', 'is', id.toUpperCase(), '*'],
      ['created_by_id', 'is', `0x${id.replaceAll('-', '')}`, '*'],
      ['created_by_id', 'is_not', id, ''],
      ['created_by_id', 'in', [id, '0d9f8e7c-1111-4222-8333-944455556666'], '*'],
      ['created_by_id', 'not_in', ['0d9f8e7c-1111-4222-8333-944455556666'], '*'],
      ['created_by_id', 'exists', undefined, '*'],
      ['updated_by_id', 'is', id, 'bare'],
      ['updated_by_id', 'is_not', '0d9f8e7c-1111-4222-8333-944455556666', 'bare'],
      ['updated_by_id', 'exists', undefined, 'bare'],
      ['updated_by_id', 'not_exists', undefined, '*-bare'],
      ['updated_by_id', 'is', null, '*-bare'],
      ['deleted_by_id', 'exists', undefined, ''],
      ['deleted_by_id', 'not_exists', undefined, '*'],
    ]
    for (const row of rows) await check(row)
  })
})

describe('groups', () => {
  const is = (field: string, value: unknown): object => ({ field, operator: 'is', value })
  const chat = is('span_type', 'chat')
  const traceA = is('trace_id', TRACE.a)
  const failed = is('status_code', 'STATUS_CODE_ERROR')
  const judge = is('span_name', 'judge')

  test.each<[string, object | undefined, string]>([
    ['none', undefined, '*'],
    ['an empty one', {}, '*'],
    ['no conditions', { operator: 'or', conditions: [] }, '*'],
    ['null', { operator: null, conditions: [traceA] }, 'root model tool'],
    ['and by default', { conditions: [traceA, is('parent_id', null)] }, 'root'],
    ['is by default', { conditions: [{ field: 'span_name', value: 'judge' }] }, 'judge'],
    ['and', { operator: 'and', conditions: [traceA, judge] }, ''],
    ['or', { operator: 'or', conditions: [chat, judge] }, 'model judge'],
    ['not', { operator: 'not', conditions: [traceA] }, 'judge foreign orphan bare'],
    ['nand', { operator: 'nand', conditions: [traceA, chat] }, '*-model'],
    ['nor', { operator: 'nor', conditions: [traceA, judge] }, 'foreign orphan bare'],
    [
      'nested',
      {
        operator: 'and',
        conditions: [
          { operator: 'or', conditions: [traceA, judge] },
          { operator: 'not', conditions: [{ operator: 'or', conditions: [failed, is('span_type', 'tool')] }] },
        ],
      },
      'root judge',
    ],
    ['an empty one inside', { conditions: [{ operator: 'or', conditions: [] }, judge] }, 'judge'],
    [
      'the example of the interface',
      {
        operator: 'and',
        conditions: [
          { field: 'span_type', operator: 'in', value: ['chat', 'completion'] },
          {
            operator: 'or',
            conditions: [
              { field: 'status_code', value: 'STATUS_CODE_ERROR' },
              { field: 'attributes', key: 'ag.metrics.duration.cumulative', operator: 'gt', value: 5000 },
            ],
          },
        ],
      },
      'model',
    ],
  ])('%s', async (_name, filtering, names) => {
    for (const body of [{ filtering }, { filter: filtering }, { filter: filtering && JSON.stringify(filtering) }]) {
      const answer = await fixture.project.post('/api/spans/query', body)
      expect(answer.status).toBe(200)
      expect(fixture.namesOf(answer.body.spans)).toEqual(namesIn(names))
    }
  })
})

test.each([
  ['trace_id', (index: number) => index.toString(16).padStart(32, '0'), TRACE.judge, 'judge'],
  ['span_id', (index: number) => index.toString(16).padStart(16, '0'), SPAN.judge, 'judge'],
])('a hundred thousand values of %s', async (field, toId, last, names) => {
  const value = [...Array.from({ length: 99_999 }, (_, index) => toId(index + 1)), last]
  expect(await fixture.spansWith({ field, operator: 'in', value })).toEqual(namesIn(names))
  expect(await fixture.spansWith({ field, operator: 'not_in', value })).not.toContain(names)
})
