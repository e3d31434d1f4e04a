import { type Json, type JsonObject, parseJson } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import type { Handler } from '../handler.ts'
import { HANDLERS } from '../handlers.ts'
import { runWith } from '../run.testing.ts'
import type { Means } from '../run.ts'

/** What is configured, the expected answer (undefined: no such column), what is judged. */
type Case = [parameters: JsonObject, answer: Json | undefined, outputs: Json | undefined, result: Json | string]

const handler = (key: string): Handler => HANDLERS.find(one => one.key === key) as Handler

/** The outputs, or `400 fragment path`. */
async function evaluate(key: string, [parameters, answer, outputs]: Case, means: Partial<Means> = {}): Promise<Json> {
  const inputs: JsonObject = answer === undefined ? {} : { correct_answer: answer }
  return runWith(handler(key), { parameters, inputs, outputs, means }).catch(
    ({ status, fragment, details }) => `${status} ${fragment.replace(/^v0:(schemas:)?/, '')} ${details?.path ?? ''}`,
  )
}

function cases(key: string, table: Case[], means: Partial<Means> = {}): void {
  describe(key, () => {
    test.each(table)('%j, %j, %j', async (...given) => {
      expect(await evaluate(key, given, means)).toEqual(given[3])
    })
  })
}

const TRUE = { success: true }
const FALSE = { success: false }

cases('auto_exact_match', [
  [{}, 'a', 'a', TRUE],
  [{}, 'a', 'A', FALSE],
  [{}, { a: 1, b: [2] }, { b: [2], a: 1 }, TRUE],
  [{}, 4, 4, TRUE],
  [{}, parseJson('4.0'), 4, TRUE],
  [{}, [1], [1], TRUE],
  [{}, [1, 2], [2, 1], FALSE],
  [{}, true, true, TRUE],
  [{}, true, 1, FALSE],
  [{}, '4', 4, FALSE],
  [{}, null, null, TRUE],
  [{}, null, undefined, FALSE],
  [{}, {}, [], FALSE],
  [{}, { a: 1 }, { a: 1, b: 2 }, FALSE],
  [{}, parseJson('12345678901234567890'), parseJson('12345678901234567890'), TRUE],
  [{}, parseJson('12345678901234567890'), parseJson('12345678901234567891'), FALSE],
  [{}, undefined, 'a', '400 missing-input correct_answer'],
  [{ correct_answer_key: 'a.b' }, 'x', 'x', '400 missing-input a.b'],
  [{ correct_answer_key: 'toString' }, 'x', 'x', '400 missing-input toString'],
  [{ correct_answer_key: 4 }, 'x', 'x', '400 invalid-parameter correct_answer_key'],
])

cases('auto_regex_test', [
  [{ regex_pattern: '^b', regex_should_match: false }, undefined, 'ab', TRUE],
  [{ regex_pattern: 'B$' }, undefined, 'ab\n', FALSE],
  [{ regex_pattern: 'B$', case_sensitive: false }, undefined, 'ab\n', TRUE],
  [{ regex_pattern: '(?i)É' }, undefined, { a: 'é' }, TRUE],
  [{ regex_pattern: '": \\[1, 2\\]' }, undefined, { a: [1, 2] }, TRUE],
  [{ regex_pattern: '(?=.*b)(?=.*a).*' }, undefined, 'ab', TRUE],
  [{ regex_pattern: '(' }, undefined, 'a', '400 workflows:regex-pattern-error '],
  [{}, undefined, 'a', '400 missing-parameter regex_pattern'],
  [{ regex_pattern: null }, undefined, 'a', '400 invalid-parameter regex_pattern'],
  [{ regex_pattern: 'a', case_sensitive: 'true' }, undefined, 'a', '400 invalid-parameter case_sensitive'],
  [{ regex_pattern: 'a', regex_should_match: 1 }, undefined, 'a', '400 invalid-parameter regex_should_match'],
  [{ regex_pattern: '(' }, undefined, 4, '400 invalid-outputs outputs'],
])

cases('auto_starts_with', [
  [{ prefix: 'Ab' }, undefined, 'Abc', TRUE],
  [{ prefix: 'ab' }, undefined, 'Abc', FALSE],
  [{ prefix: 'ab', case_sensitive: false }, undefined, 'ABc', TRUE],
  [{ prefix: '{"a": ' }, undefined, { a: 1 }, TRUE],
  [{ prefix: '' }, undefined, '', TRUE],
  [{}, undefined, 'a', '400 missing-parameter prefix'],
  [{ prefix: ['a'] }, undefined, 'a', '400 invalid-parameter prefix'],
  [{ prefix: 'a' }, undefined, null, '400 invalid-outputs outputs'],
  [{ prefix: 'a' }, undefined, undefined, '400 invalid-outputs outputs'],
  [{ prefix: 'a' }, undefined, true, '400 invalid-outputs outputs'],
])
cases('auto_ends_with', [
  [{ suffix: 'bc' }, undefined, 'abc', TRUE],
  [{ suffix: 'b' }, undefined, 'abc', FALSE],
  [{ suffix: '2]' }, undefined, [1, 2], TRUE],
  [{}, undefined, 'a', '400 missing-parameter suffix'],
])
cases('auto_contains', [
  [{ substring: 'é' }, undefined, { text: 'café' }, TRUE],
  [{ substring: 'B', case_sensitive: false }, undefined, 'abc', TRUE],
  [{ substring: 'B', case_sensitive: true }, undefined, 'abc', FALSE],
  [{ substring: 4 }, undefined, 'a', '400 invalid-parameter substring'],
])
const several: Case[] = [
  [{ substrings: 5 }, undefined, 'a', '400 invalid-parameter substrings'],
  [{ substrings: ['a', 5] }, undefined, 'a', '400 invalid-parameter substrings[1]'],
  [{}, undefined, 'a', '400 missing-parameter substrings'],
  [{ substrings: ' a , A ', case_sensitive: false }, undefined, 'a', TRUE],
]
cases('auto_contains_any', [
  ...several,
  [{ substrings: [' b ', 'x'] }, undefined, 'abc', TRUE],
  [{ substrings: 'x, b' }, undefined, 'abc', TRUE],
  [{ substrings: 'x,,y' }, undefined, 'abc', FALSE],
  [{ substrings: [] }, undefined, 'abc', FALSE],
  [{ substrings: '' }, undefined, 'abc', FALSE],
])
cases('auto_contains_all', [
  ...several,
  [{ substrings: [' b ', 'c'] }, undefined, 'abc', TRUE],
  [{ substrings: 'b, x' }, undefined, 'abc', FALSE],
  [{ substrings: [] }, undefined, 'abc', TRUE],
])
cases('auto_contains_json', [
  [{}, undefined, 'Here: {"a": [1]} there', TRUE],
  [{}, undefined, '[1, 2]', FALSE],
  [{}, undefined, '{"a": 1} {"b": 2}', FALSE],
  [{}, undefined, '} {', FALSE],
  [{}, undefined, '', FALSE],
  [{}, undefined, [{ a: 1 }], TRUE],
  [{}, undefined, {}, TRUE],
  [{}, undefined, 1, '400 invalid-outputs outputs'],
])

cases('field_match_test', [
  [{ json_field: 'a.b' }, 1, '{"a.b": 1}', TRUE],
  [{ json_field: 'a.b' }, 1, { a: { b: 1 } }, FALSE],
  [{ json_field: 'a' }, { b: [1] }, { a: { b: [1] } }, TRUE],
  [{ json_field: 'a' }, true, { a: 1 }, FALSE],
  [{ json_field: 'a' }, 1, 'no json', FALSE],
  [{ json_field: 'a' }, 1, 4, FALSE],
  [{ json_field: 'toString' }, 1, {}, FALSE],
  [{}, 1, {}, '400 missing-parameter json_field'],
  [{ json_field: 'a' }, undefined, {}, '400 missing-input correct_answer'],
])

cases('json_multi_field_match', [
  [
    { fields: ['id', 'addr.zip'] },
    { id: 7, addr: { zip: '0150' } },
    { id: 7, addr: { zip: '0151' } },
    { id: 1, 'addr.zip': 0, aggregate_score: 0.5 },
  ],
  [
    { fields: ['$.a[0]', '/b/c', 'd'] },
    '{"a": [1], "b": {"c": true}, "d": null}',
    '{"a": [1], "b": {"c": 1}}',
    { '$.a[0]': 1, '/b/c': 0, d: 1, aggregate_score: 2 / 3 },
  ],
  // What neither side has is no match.
  [{ fields: ['x', 'y'] }, { x: 1 }, { x: 1 }, { x: 1, y: 0, aggregate_score: 0.5 }],
  [{ fields: ['x'] }, { x: null }, 'no json', { x: 0, aggregate_score: 0 }],
  [{ fields: ['x'] }, { x: 1 }, [1], { x: 0, aggregate_score: 0 }],
  [{ fields: ['__proto__'] }, { x: 1 }, { x: 1 }, JSON.parse('{"__proto__": 0, "aggregate_score": 0}')],
  [{}, {}, {}, '400 missing-parameter fields'],
  [{ fields: [] }, {}, {}, '400 invalid-parameter fields'],
  [{ fields: 'a' }, {}, {}, '400 invalid-parameter fields'],
  [{ fields: ['a', 1] }, {}, {}, '400 invalid-parameter fields[1]'],
  [{ fields: ['a'] }, 'no json', {}, '400 invalid-input correct_answer'],
  [{ fields: ['a'] }, 4, {}, '400 invalid-input correct_answer'],
])

test('an empty list of fields is refused for being empty', async () => {
  const run = runWith(handler('json_multi_field_match'), { parameters: { fields: [] }, inputs: {}, outputs: {} })
  await expect(run).rejects.toMatchObject({ details: { expected: 'a non-empty list of paths', got: 'array' } })
})

const scored = (score: number, success = score >= 0.5): JsonObject => ({ score, success })

cases('auto_json_diff', [
  [{}, { a: 1, b: { c: [1, 2] } }, { a: 1, b: { c: [1, 3] } }, scored(2 / 3)],
  [{}, '{"a": 1}', '{"a": 1, "b": 2}', scored(1)],
  [{ predict_keys: true }, { a: 1 }, { a: 1, b: 2 }, scored(0.5)],
  [{ case_insensitive_keys: true }, { Name: 'x', aGe: 1 }, { nAME: 'x', age: 1 }, scored(1)],
  [{}, { Name: 'x' }, { name: 'x' }, scored(0)],
  [{}, { a: null }, { a: null }, scored(1)],
  [{}, { a: null }, {}, scored(0)],
  [{}, {}, {}, scored(1)],
  [{}, { a: {} }, { b: [] }, scored(1)],
  [{}, {}, { a: 1 }, scored(0)],
  [{}, { a: true }, { a: 1 }, scored(0)],
  [{ compare_schema_only: true }, { a: 1, b: 'x', c: true }, { a: 2.5, b: 'y', c: 0 }, scored(2 / 3)],
  [{ compare_schema_only: true }, { a: 1 }, { a: null }, scored(0)],
  [{}, { 'a.b': 1 }, { a: { b: 1 } }, scored(1)],
  [{}, [1, 2], '[1, 3]', scored(0.5)],
  [{ threshold: 1 }, { a: 1, b: 2 }, { a: 1, b: 3 }, scored(0.5, false)],
  [{ threshold: 0 }, { a: 1 }, { a: 2 }, scored(0, true)],
  [{ threshold: null }, { a: 1 }, { a: 1 }, scored(1)],
  [{ threshold: 2 }, { a: 1 }, { a: 1 }, '400 invalid-parameter threshold'],
  [{ threshold: true }, { a: 1 }, { a: 1 }, '400 invalid-parameter threshold'],
  [{ threshold: 2 }, { a: 1 }, 'no json', '400 invalid-outputs outputs'],
  [{}, 'no json', {}, '400 invalid-input correct_answer'],
  [{}, 4, {}, '400 invalid-input correct_answer'],
  [{}, {}, 4, '400 invalid-outputs outputs'],
  [{ predict_keys: 'yes' }, {}, {}, '400 invalid-parameter predict_keys'],
])

cases('auto_levenshtein_distance', [
  [{}, 'Paris', 'Pariz', scored(0.8)],
  [{ threshold: 0.9 }, 'Paris', 'Pariz', scored(0.8, false)],
  [{}, '', '', scored(1)],
  [{}, '😀😀', '😀', scored(0.5)],
  [{ case_sensitive: false }, 'ABC', 'abc', scored(1)],
  [{}, { a: 'é' }, '{"a": "é"}', scored(1)],
  [{}, '[1, 2]', [1, 2], scored(1)],
  [{}, 4, '4', '400 invalid-input correct_answer'],
  [{ threshold: 'x' }, 'a', 4, '400 invalid-outputs outputs'],
  [{ threshold: 'x' }, 'a', 'a', '400 invalid-parameter threshold'],
  [{ threshold: -0.1 }, 'a', 'a', '400 invalid-parameter threshold'],
  [{ case_sensitive: 0 }, undefined, 'a', '400 invalid-parameter case_sensitive'],
])

const SENTENCE = 'the quick brown fox jumps over the lazy dog and then it '
cases('auto_similarity_match', [
  [{}, 'bcde', 'abcd', scored(0.75)],
  [{}, '', '', scored(1)],
  [{}, 'tide', 'diet', scored(0.5)],
  [{}, 'diet', 'tide', scored(0.25)],
  [{ similarity_threshold: 0.8 }, 'bcde', 'abcd', scored(0.75, false)],
  [{ similarity_threshold: 0.8, threshold: 0.7 }, 'bcde', 'abcd', scored(0.75, true)],
  [{ similarity_threshold: 0.8, threshold: 0 }, 'b', 'a', scored(0, true)],
  [{ case_sensitive: false }, 'ABC', 'abc', scored(1)],
  [{ similarity_threshold: 2 }, 'a', 'a', '400 invalid-parameter similarity_threshold'],
  // As Python's difflib without its heuristic; with it the score is 0.01.
  [{}, SENTENCE.repeat(5), SENTENCE.repeat(5).replaceAll('quick', 'rapid'), scored(0.9285714285714286)],
])

const VECTORS: Record<string, number[]> = { up: [0, 1], right: [1, 0], both: [1, 1], down: [0, -2], none: [0, 0] }
const embed: Means['embed'] = async ({ model, texts }) => {
  expect(model).toBe('text-embedding-3-small')
  return texts.map(text => VECTORS[text] ?? [])
}
cases(
  'auto_semantic_similarity',
  [
    [{}, 'up', 'right', scored(0)],
    [{}, 'up', 'down', scored(-1)],
    [{}, 'up', 'none', scored(0)],
    [{ threshold: 0.7 }, 'up', 'both', scored(1 / Math.sqrt(2))],
    [{ embedding_model: 3 }, 'up', 'up', '400 invalid-parameter embedding_model'],
    [{ threshold: 7 }, 'up', 'up', '400 invalid-parameter threshold'],
  ],
  { embed },
)

test.each(['auto_exact_match', 'auto_levenshtein_distance', 'auto_webhook_test'])('%s needs inputs', async key => {
  const run = runWith(handler(key), { parameters: { webhook_url: 'https://x.test' }, outputs: 'a' })
  await expect(run).rejects.toMatchObject({ fragment: 'v0:schemas:invalid-inputs', details: { path: 'inputs' } })
})

test.each([
  [1_000, 1],
  [1_001, 0],
])('a name of %i parts is a path, or one name if they are too many: %i', async (parts, score) => {
  const nested = Array.from({ length: parts }).reduce<Json>(inside => ({ a: inside }), 1)
  const named = { [Array(parts).fill('a').join('.')]: 1 }
  expect(await evaluate('auto_json_diff', [{}, nested, named, ''])).toEqual(scored(score))
  expect(await evaluate('auto_json_diff', [{}, named, named, ''])).toEqual(scored(1))
})

test('large and deep documents are judged while others have their turn', async () => {
  const wide = Array.from({ length: 300_000 }, (_, at) => ({ [`name ${at % 10}`]: at }))
  let deep: Json = 1
  for (let depth = 0; depth < 1_990; depth++) deep = depth % 2 ? [deep] : { a: deep }
  const answer = { wide, deep }
  let turns = 0
  const ticks = setInterval(() => turns++, 1)
  const text = JSON.stringify(answer)
  expect(await evaluate('auto_exact_match', [{}, answer, structuredClone(answer), ''])).toEqual(TRUE)
  expect(await evaluate('auto_json_diff', [{}, answer, text, ''])).toEqual(scored(1))
  expect(await evaluate('auto_contains', [{ substring: '"name 9": 299999' }, undefined, answer, ''])).toEqual(TRUE)
  expect(await evaluate('auto_contains_json', [{}, undefined, text, ''])).toEqual(TRUE)
  clearInterval(ticks)
  expect(turns).toBeGreaterThan(5)
})

test.each<[string, JsonObject]>([
  ['auto_contains', { substring: 'x' }],
  ['auto_contains_any', { substrings: ['x', 'y'] }],
  ['auto_contains_all', { substrings: ['x', 'y'] }],
  ['match', { matchers: [{ key: 'one', target: 'outputs', match: 'contains', references: ['x', 'y'] }] }],
])('%s: what takes long to search is not searched on the spot', async (key, parameters) => {
  const asked: unknown[] = []
  const compute: Means['compute'] = async (name, ...args) => {
    asked.push(name, args[0])
    return true as never
  }
  const outputs = await evaluate(key, [parameters, undefined, 'abc', ''], { compute })
  expect(outputs).toMatchObject(TRUE)
  expect(asked).toEqual(['containsTexts', 'abc'])
})
