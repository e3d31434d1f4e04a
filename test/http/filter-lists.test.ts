import { beforeAll, describe, expect, test } from 'vitest'
import {
  APPLICATION_ID,
  EVALUATOR_ID,
  type FilterFixture,
  LINKED,
  namesIn,
  openFilterFixture,
  SPAN,
  TRACE,
} from './filter-fixture.ts'

let fixture: FilterFixture

beforeAll(async () => {
  fixture = await openFilterFixture()
})

type Row = [operator: string, given: object | unknown[], names: string]

/** `given` is the list of an `in`, or other members of the condition. */
const check = async (field: string, [operator, given, names]: Row): Promise<void> => {
  const condition = { field, operator, ...(Array.isArray(given) ? { value: given } : given) }
  expect(await fixture.spansWith(condition)).toEqual(namesIn(names))
}

const ALL = { options: { all: true } }
const key = (value: string, path = 'attributes.key'): object => ({ key: path, value })

describe('references', () => {
  test.each<Row>([
    ['in', [{ slug: 'geo-bot' }], 'root foreign'],
    ['in', [{ id: APPLICATION_ID }], 'root'],
    ['in', [{ id: `0x${APPLICATION_ID.replaceAll('-', '').toUpperCase()}` }], 'root'],
    ['in', [{ version: '3' }], 'judge'],
    ['in', [{ version: 3 }], 'judge'],
    ['in', [{ slug: 'geo-bot', version: '2' }], 'root'],
    ['in', [{ slug: 'geo-bot', version: '5' }], 'root'],
    ['in', [{ slug: 'geo-bot', version: '3' }], ''],
    ['in', [{ id: APPLICATION_ID, slug: 'other' }], ''],
    ['in', [{ id: APPLICATION_ID, version: '5' }], ''],
    ['in', [{ slug: 'exact-match' }, { version: '2' }], 'root judge'],
    ['in', { value: [{ slug: 'geo-bot' }, { version: '5' }], ...ALL }, 'root'],
    ['in', { value: [{ version: '2' }, { version: '5' }], ...ALL }, 'root'],
    ['in', { value: [{ version: '2' }, { version: '3' }], ...ALL }, ''],
    ['in', [{ slug: 'geo-bot', 'attributes.key': 'application' }], 'root foreign'],
    ['in', [{ slug: 'geo-bot', attributes: { key: 'evaluator' } }], 'root foreign'],
    ['in', [{ slug: 'geo-bot', attributes: { key: 'application_revision' } }], 'root'],
    ['in', [{ slug: 'geo-bot', 'attributes.key': 'workflow_revision' }], 'root'],
    ['in', [{ slug: 'geo-bot', 'attributes.key': 'workflow_variant' }], ''],
    ['in', [{ slug: 'geo-bot', 'attributes.key': 'testset' }], ''],
    ['in', [{ id: APPLICATION_ID, 'attributes.key': 'testset' }], 'root'],
    ['in', [{ slug: 'nobody' }], ''],
    ['in', [], ''],
    ['in', [{}], ''],
    ['in', [{ slug: null }, { version: '3' }], 'judge'],
    ['not_in', [{ slug: 'geo-bot' }], '*-root-foreign'],
    ['not_in', [{ slug: 'geo-bot', version: '5' }], '*-root'],
    ['not_in', [], '*'],
    ['not_in', [{}], '*'],
    ['has', key('evaluator'), 'judge'],
    ['has', key('workflow'), 'foreign'],
    ['has', key('application_revision'), 'root'],
    ['has', key('nothing'), ''],
    ['has_not', key('evaluator'), '*-judge'],
    ['has_not', key('nothing'), '*'],
    ['exists', {}, 'root judge foreign'],
    ['not_exists', {}, 'model tool orphan bare'],
  ])('%s %j', (...row) => check('references', row))

  test('of an evaluator by its id', () => check('references', ['in', [{ id: EVALUATOR_ID }], 'judge']))
})

describe('links', () => {
  test.each<Row>([
    ['in', [{ trace_id: TRACE.a, span_id: SPAN.root }], 'judge'],
    ['in', [{ trace_id: `0x${TRACE.a.toUpperCase()}`, span_id: SPAN.root.toUpperCase() }], 'judge'],
    ['in', [{ trace_id: TRACE.a, span_id: LINKED.spanId }], ''],
    ['in', [{ trace_id: TRACE.a }], 'judge'],
    ['in', [{ span_id: LINKED.spanId }], 'judge'],
    ['in', [{ trace_id: TRACE.foreign }], ''],
    ['in', [{ trace_id: TRACE.foreign }, { trace_id: LINKED.traceId }], 'judge'],
    ['in', { value: [{ trace_id: TRACE.a }, { trace_id: LINKED.traceId }], ...ALL }, 'judge'],
    ['in', { value: [{ trace_id: TRACE.a }, { trace_id: TRACE.foreign }], ...ALL }, ''],
    ['in', [{}], 'judge'],
    ['in', [], ''],
    ['not_in', [{ trace_id: TRACE.a }], '*-judge'],
    ['not_in', [], '*'],
    ['has', key('invocation'), 'judge'],
    ['has', key('other'), ''],
    ['has_not', key('invocation'), '*-judge'],
    ['exists', {}, 'judge'],
    ['not_exists', {}, '*-judge'],
  ])('%s %j', (...row) => check('links', row))
})

describe('events', () => {
  test.each<Row>([
    ['in', [{ name: 'exception' }], 'model'],
    ['in', [{ name: 'exception', timestamp: 'whatever' }], 'model'],
    ['in', [{ name: 'Exception' }], ''],
    ['in', { value: [{ name: 'note' }, { name: 'exception' }], ...ALL }, 'model'],
    ['in', { value: [{ name: 'note' }, { name: 'other' }], ...ALL }, ''],
    ['not_in', [{ name: 'exception' }], '*-model'],
    ['has', key('TimeoutError', 'attributes.exception.type'), 'model'],
    ['has', key('high', 'attributes.note.level'), 'model'],
    ['has', key('high', 'attributes.exception.type'), ''],
    ['has_not', key('TimeoutError', 'attributes.exception.type'), '*-model'],
    ['exists', {}, 'model'],
    ['not_exists', {}, '*-model'],
  ])('%s %j', (...row) => check('events', row))
})

test('hashes are found by id, as text or object, and by key', async () => {
  const { body } = await fixture.project.get(`/api/spans/?span_id=${SPAN.root}`)
  const { id } = body.spans[0].hashes[0]
  const rows: Row[] = [
    ['in', [id], 'root'],
    ['in', [id.toUpperCase()], 'root'],
    ['in', [{ id }], 'root'],
    ['in', [{ id, attributes: { key: 'indirect' } }], 'root'],
    ['in', [{ id, attributes: { key: 'direct' } }], ''],
    ['in', [APPLICATION_ID], ''],
    ['not_in', [id], '*-root'],
    ['has', key(id, 'id'), 'root'],
    ['has', key('indirect'), 'root judge foreign'],
    ['has_not', key('indirect'), 'model tool orphan bare'],
    ['exists', {}, 'root judge foreign'],
    ['not_exists', {}, 'model tool orphan bare'],
  ]
  for (const row of rows) await check('hashes', row)
})
