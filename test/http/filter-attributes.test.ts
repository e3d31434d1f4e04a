import { beforeAll, describe, expect, test } from 'vitest'
import { type FilterFixture, namesIn, openFilterFixture } from './filter-fixture.ts'

let fixture: FilterFixture

beforeAll(async () => {
  fixture = await openFilterFixture()
})

type Row = [key: string, operator: string, value: unknown, names: string, options?: object]

const check = async ([key, operator, value, names, options]: Row): Promise<void> => {
  const condition = { field: 'attributes', key, operator, value, options }
  expect(await fixture.spansWith(condition)).toEqual(namesIn(names))
}

const EXACT = { case_sensitive: true }
const ALL = { all: true }

describe('equality is that of JSON', () => {
  test.each<Row>([
    ['plan', 'is', 'Pro', 'root'],
    ['plan', 'is', 'PRO', ''],
    ['plan', 'is_not', 'Pro', '*-root'],
    ['plan', 'has', 'Pro', 'root'],
    ['score', 'is', 5, 'root'],
    ['score', 'is', 5.5, 'judge'],
    ['score', 'is', '5', ''],
    ['score', 'is', 12, 'model'],
    ['score', 'is', '12', 'tool'],
    ['score', 'is_not', 12, '*-model'],
    ['vip', 'is', true, 'root'],
    ['vip', 'is', false, 'model'],
    ['vip', 'is', 'true', 'foreign'],
    ['vip', 'eq', true, 'root'],
    ['vip', 'neq', true, '*-root'],
    ['vip', 'is', 1, ''],
    ['nothing', 'is', null, 'root'],
    ['plan', 'is', null, ''],
    ['nothing', 'is_not', null, '*-root'],
    ['codes', 'is', [1, 2], 'root'],
    ['codes', 'is', [2, 1], 'root'],
    ['codes', 'is', [3], 'root model'],
    ['codes', 'is', [1, 4], ''],
    ['codes', 'is', 3, 'tool'],
    ['codes', 'is', [], 'root model'],
    ['nest', 'is', { a: { b: 1 } }, 'root'],
    ['nest', 'is', { a: { b: 1, c: 'x' } }, 'root'],
    ['nest', 'is', { a: { b: 2 } }, ''],
    ['nest', 'is', { a: {} }, 'root'],
    ['nest', 'is', {}, 'root'],
    ['nest', 'is', 'flat', 'foreign'],
    ['items', 'is', [{ k: 'v2' }], 'root'],
    ['labels', 'is', ['red'], 'root'],
  ])('%s %s %j', (...row) => check(row))

  test('5.0 is 5', async () => {
    const answer = await fixture.project.post(
      '/api/spans/query',
      '{"filtering":{"conditions":[{"field":"attributes","key":"score","operator":"is","value":5.0}]}}',
    )
    expect(fixture.namesOf(answer.body.spans)).toEqual(['root'])
  })
})

describe('order', () => {
  test.each<Row>([
    ['score', 'eq', 12, 'model tool'],
    ['score', 'neq', 5, 'model tool judge'],
    ['score', 'gt', 5, 'model tool judge'],
    ['score', 'gte', 5, 'root model tool judge'],
    ['score', 'lt', 6, 'root judge'],
    ['score', 'lte', 5.5, 'root judge'],
    ['score', 'btwn', [5, 5.5], 'root judge'],
    ['score', 'btwn', [5.5, 5], ''],
    ['score', 'gt', 1e300, ''],
    ['score', 'gt', -1e300, 'root model tool judge'],
    ['ratio', 'gt', 0.4, 'root model'],
    ['ratio', 'lt', 0.6, 'root'],
    ['plan', 'gt', 3, ''],
    ['plan', 'eq', 'Pro', 'root'],
    ['plan', 'neq', 'Pro', 'model tool foreign'],
    ['plan', 'gt', 'Z', 'model'],
    ['plan', 'btwn', ['E', 'Pro'], 'root tool foreign'],
    ['plan', 'lt', 'F', 'tool'],
    ['missing', 'neq', 'x', ''],
    ['missing', 'lt', 1e9, ''],
    ['score', 'eq', '12', 'model tool'],
  ])('%s %s %j', (...row) => check(row))
})

describe('parts of texts', () => {
  test.each<Row>([
    ['plan', 'startswith', 'PR', 'root model foreign'],
    ['plan', 'startswith', 'Pr', 'root', EXACT],
    ['plan', 'endswith', 'PRISE', 'tool'],
    ['plan', 'endswith', '%', 'foreign'],
    ['plan', 'contains', 'RO', 'root model foreign'],
    ['plan', 'contains', 'RO', 'foreign', EXACT],
    ['plan', 'contains', '_', ''],
    ['sure', 'contains', '%_', 'root'],
    ['sure', 'contains', '100_', ''],
    ['plan', 'matches', 'pro', 'root model foreign'],
    ['plan', 'matches', 'pro', 'root model', { exact_match: true }],
    ['plan', 'matches', 'pro', 'model', { exact_match: true, case_sensitive: true }],
    ['plan', 'matches', '^Pro$', ''],
    ['plan', 'like', 'p%', 'root model foreign'],
    ['plan', 'like', 'p%', 'model', EXACT],
    ['plan', 'like', 'pr_', 'root model'],
    ['plan', 'like', '%', 'root model tool foreign'],
    ['text', 'contains', 'GRÖSSE', ''],
    ['text', 'contains', 'GRÖßE ÜBER', 'foreign'],
    ['missing', 'contains', '', ''],
  ])('%s %s %j: %s %j', (...row) => check(row))
})

describe('lists', () => {
  test.each<Row>([
    ['plan', 'in', ['Pro', 'Enterprise', 'x'], 'root tool'],
    ['plan', 'in', [], ''],
    ['plan', 'not_in', ['Pro'], 'model tool foreign'],
    ['plan', 'not_in', [], 'root model tool foreign'],
    ['score', 'in', [5, '12'], 'root tool'],
    ['score', 'in', [12], 'model'],
    ['vip', 'in', [true, false], 'root model'],
    ['codes', 'in', [3], 'root model tool'],
    ['codes', 'in', [1, 4], 'root model'],
    ['codes', 'in', [1, 2], 'root', ALL],
    ['codes', 'in', [1, 4], '', ALL],
    ['codes', 'not_in', [4], 'root tool'],
    ['codes', 'not_in', [1, 4], 'tool'],
    ['labels', 'in', ['red', 'blue'], 'root'],
    ['codes.0', 'is', 1, 'root'],
    ['codes.0', 'is', 3, 'model'],
    ['codes.1', 'gt', 3, 'model'],
    ['codes.2', 'exists', undefined, 'root'],
    ['codes.9', 'not_exists', undefined, '*'],
    ['items.1.k', 'is', 'v2', 'root'],
    ['items.0.k', 'startswith', 'V', 'root'],
    ['items.k', 'exists', undefined, ''],
  ])('%s %s %j: %s %j', (...row) => check(row))
})

describe('presence', () => {
  test.each<Row>([
    ['plan', 'exists', undefined, 'root model tool foreign'],
    ['plan', 'not_exists', undefined, 'judge orphan bare'],
    ['nothing', 'exists', undefined, 'root'],
    ['nothing', 'not_exists', undefined, '*-root'],
    ['nest', 'exists', undefined, 'root foreign'],
    ['nest.a', 'exists', undefined, 'root'],
    ['nest.a.b', 'exists', undefined, 'root'],
    ['nest.a.b', 'not_exists', undefined, '*-root'],
    ['nest.a.b.c', 'not_exists', undefined, '*'],
    ['missing.a.b', 'not_exists', undefined, '*'],
    ['missing', 'exists', undefined, ''],
    ['plan', 'exists', null, 'root model tool foreign'],
  ])('%s %s', (...row) => check(row))
})

describe('what is under ag', () => {
  test.each<Row>([
    ['ag', 'exists', undefined, '*'],
    ['ag.type.trace', 'is', 'annotation', 'judge'],
    ['ag.type.trace', 'in', ['invocation'], '*-judge'],
    ['ag.type.span', 'is', 'chat', 'model'],
    ['ag.type.span', 'exists', undefined, 'root model tool'],
    ['ag.session.id', 'is', 'chat-42', 'root model'],
    ['ag.session.id', 'startswith', 'CHAT', 'root model judge'],
    ['ag.user.id', 'in', ['u-8'], 'judge'],
    ['ag.agent.id', 'exists', undefined, 'root'],
    ['ag.data.inputs.question', 'contains', 'peru', 'root'],
    ['ag.data.inputs', 'is', { question: 'Capital of Peru?' }, 'root'],
    ['ag.data.inputs', 'exists', undefined, 'root'],
    ['ag.data.outputs', 'is', 'Lima', 'root'],
    ['ag.data.outputs.__default__', 'exists', undefined, ''],
    ['ag.data', 'exists', undefined, '*'],
    ['ag.metrics.duration.cumulative', 'gt', 3000, 'root'],
    ['ag.metrics.duration.cumulative', 'is', 1000, '*-root'],
    ['ag.metrics.duration.cumulative', 'exists', undefined, '*'],
    ['ag.metrics.tokens.incremental.total', 'is', 15, 'model'],
    ['ag.metrics.tokens.cumulative.total', 'gte', 15, 'root model'],
    ['ag.metrics.tokens.cumulative.total', 'not_exists', undefined, '*-root-model'],
    ['ag.metrics.tokens.cumulative', 'exists', undefined, 'root model'],
    ['ag.metrics.tokens.cumulative', 'is', { prompt: 10, total: 15 }, 'root model'],
    ['ag.metrics.tokens', 'exists', undefined, '*'],
    ['ag.metrics.costs.cumulative.total', 'eq', 0.3, 'root model'],
    ['ag.metrics.costs.cumulative.total', 'btwn', [0.29, 0.31], 'root model'],
    // A span that costs something is shown with all parts of that.
    ['ag.metrics.costs.cumulative.prompt', 'is', 0, 'root model'],
    ['ag.metrics.costs.cumulative.prompt', 'lt', 0.1, 'root model'],
    ['ag.metrics.costs.cumulative.completion', 'in', [0, 1], 'root model'],
    ['ag.metrics.costs.cumulative.completion', 'not_exists', undefined, '*-root-model'],
    ['ag.metrics.costs.cumulative', 'is', { prompt: 0, total: 0.3 }, 'root model'],
    ['ag.metrics.errors.cumulative', 'eq', 1, 'root model'],
    ['ag.metrics.errors.incremental', 'exists', undefined, 'model'],
    ['ag.references.application.slug', 'is', 'geo-bot', 'root'],
    ['ag.references.evaluator.version', 'is', '3', 'judge'],
    ['ag.unsupported.extra', 'is', 'parked', 'root'],
    ['ag.exception.type', 'is', 'TimeoutError', 'model'],
    ['ag.nothing', 'exists', undefined, ''],
    ['gen_ai.request.model', 'is', 'gpt-x', 'model'],
    ['resource.service.name', 'is', 'tests', '*'],
    ['resource', 'is', { service: { name: 'tests' } }, '*'],
    ['scope.name', 'matches', 'TEST', '*'],
  ])('%s %s %j', (...row) => check(row))
})

describe('hostile keys and values are only keys and values', () => {
  test.each<Row>([
    ['it\'s "odd"', 'is', 'yes', 'model'],
    ["') OR 1=1 --", 'exists', undefined, ''],
    ['plan', 'is', "' OR '1'='1", ''],
    ['plan', 'contains', '\\', ''],
    ['plan', 'like', '%\\', ''],
    ['plan', 'in', ["a'b", 'a"b', 'a\\b', '{}', '\u0000', '\ud800'], ''],
    ['{p0:String}', 'exists', undefined, ''],
    ['plan', 'is', '{p0:String}', ''],
    ['..', 'exists', undefined, ''],
    ['plan.', 'exists', undefined, ''],
    ['__proto__', 'exists', undefined, ''],
    ['constructor.name', 'exists', undefined, ''],
    ['plan', 'is', { __proto__: { a: 1 } }, ''],
    ['a'.repeat(2000), 'exists', undefined, ''],
  ])('%s %s %j', (...row) => check(row))
})

test('content is looked for in values, words of one query in any of them', async () => {
  const rows: [string, string][] = [
    ['quick', 'root model tool'],
    ['QUICK', 'root model tool'],
    ['quick fox', 'root tool'],
    ['"quick brown"', 'root'],
    ['"brown quick"', ''],
    ['"quick one"', 'tool'],
    ['quick -fox', 'model'],
    ['brown or slow', 'root model'],
    ['brown OR jumps', 'root tool'],
    ['lima brown', 'root'],
    ['peru', 'root'],
    ['question', ''],
    ['quic', ''],
    ['timeouterror', 'model'],
    ['high', 'model'],
    ['slow high', ''],
    ['zebra', ''],
    ['größe', 'foreign'],
    ['überall', 'foreign'],
    ["quick'; DROP TABLE spans --", ''],
  ]
  for (const [value, names] of rows)
    expect(await fixture.spansWith({ field: 'content', operator: 'contains', value }), value).toEqual(namesIn(names))
})
