import type { Json, JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { match } from '../handlers/document/match.ts'
import { runWith } from '../run.testing.ts'
import type { Means } from '../run.ts'
import { RunError } from '../run-error.ts'

const INPUTS = { body: 'abcde', n: 5, doc: '{"a": 1, "b": 2}', list: ['x', 'y'] }
const OUTPUTS = {
  title: 'Short',
  body: 'abcxy',
  json: '{"b": 2, "a": 1}',
  n: 5,
  flag: true,
  none: null,
  o: { b: 1, a: 'é' },
}

const run = (parameters: JsonObject, means: Partial<Means> = {}): Promise<JsonObject> =>
  runWith(match, { parameters, inputs: INPUTS, outputs: OUTPUTS, means }) as Promise<JsonObject>

/** Of a single matcher: its score, or its error. */
async function outcome(node: JsonObject, means?: Partial<Means>): Promise<[Json, Json]> {
  const { one } = (await run({ matchers: [{ key: 'one', ...node }] }, means)) as { one: { [name: string]: Json } }
  expect(Object.keys(one).toSorted()).toEqual(['error', 'score', 'success'])
  if (one.error !== null) expect([one.score, one.success]).toEqual([0, false])
  return [one.error ?? (one.score as Json), one.success as Json]
}

test('the example of the contract', async () => {
  const matchers: JsonObject[] = [
    { key: 'short', target: 'outputs.title', match: 'regex', reference: '^.{1,40}$' },
    {
      key: 'body',
      target: 'outputs.body',
      match: 'similarity',
      similarity: 'levenshtein',
      reference: '$.inputs.body',
      threshold: 0.8,
      weight: 3,
    },
  ]
  expect(await run({ matchers, threshold: 0.7 })).toEqual({
    short: { success: true, score: 1, error: null },
    body: { success: false, score: 0.6, error: null },
    score: 0.7,
    success: true,
  })
})

const HOLDS = [1, true]
const FAILS = [0, false]

test.each<[JsonObject, unknown[]]>([
  [{ target: 'outputs.title' }, HOLDS],
  [{ target: 'outputs.n' }, FAILS],
  [{ target: 'outputs.title', mode: 'json' }, FAILS],
  [{ target: 'outputs.json', mode: 'json' }, HOLDS],
  [{ target: '/outputs/o', mode: 'json' }, HOLDS],
  [{ target: 'outputs.title', match: 'exact', reference: 'Short' }, HOLDS],
  [{ target: 'outputs.title', match: 'exact', reference: 'sHORT' }, FAILS],
  [{ target: 'outputs.title', match: 'exact', reference: 'sHORT', case_sensitive: false }, HOLDS],
  [{ target: 'outputs.n', match: 'exact', reference: '$.inputs.n' }, HOLDS],
  [{ target: 'outputs.n', match: 'exact', reference: '5' }, HOLDS],
  [{ target: 'outputs.none', match: 'exact', reference: '' }, HOLDS],
  [{ target: 'outputs.o', match: 'exact', reference: '{"a": "é", "b": 1}' }, HOLDS],
  [{ target: 'outputs.json', match: 'exact', reference: '/inputs/doc' }, FAILS],
  [{ target: 'outputs.json', match: 'exact', mode: 'json', reference: '/inputs/doc' }, HOLDS],
  [{ target: 'outputs.none', match: 'exact', mode: 'json', reference: ' null' }, HOLDS],
  [{ target: 'outputs.flag', match: 'exact', mode: 'json', reference: 1 }, FAILS],
  [{ target: 'outputs.title', match: 'starts_with', reference: 'Sh' }, HOLDS],
  [{ target: 'outputs.title', match: 'ends_with', reference: 'RT', case_sensitive: false }, HOLDS],
  [{ target: 'outputs.title', match: 'contains', references: ['S', 'x'] }, FAILS],
  [{ target: 'outputs.title', match: 'contains', contains: 'any', references: ['S', 'x'] }, HOLDS],
  [{ target: 'outputs.title', match: 'contains', reference: 'hor', references: [] }, HOLDS],
  [{ target: 'outputs.title', match: 'regex', reference: 'O' }, FAILS],
  [{ target: 'outputs.title', match: 'regex', reference: 'O', case_sensitive: false }, HOLDS],
  [{ target: 'outputs.title', match: 'regex', reference: 'h\\S', case_sensitive: false }, HOLDS],
  [{ target: 'outputs.body', match: 'similarity', reference: 'abcde' }, [0.6, false]],
  [{ target: 'outputs.body', match: 'similarity', reference: 'abcde', threshold: 0.6 }, [0.6, true]],
  [{ target: 'outputs.json', match: 'diff', reference: '$.inputs.doc' }, HOLDS],
  [{ target: 'outputs.json', match: 'diff', reference: { a: 1, b: 3 }, threshold: 0.5 }, [0.5, true]],
  [{ target: 'outputs.json', match: 'diff', diff: 'schema', reference: { a: 1, b: 3 } }, HOLDS],
  [{ target: 'outputs.json', match: 'diff', diff: 'strict', reference: { a: 1 } }, [0.5, false]],
  [{ target: 'outputs.json', match: 'diff', reference: { A: 1, B: 2 }, case_sensitive: false }, HOLDS],
])('%j', async (node, expected) => {
  expect(await outcome(node)).toEqual(expected)
})

test.each<[JsonObject, RegExp]>([
  [{ target: 'outputs.nope' }, /'outputs.nope' matches nothing/],
  [{ target: 'trace.x' }, /matches nothing/],
  [{ target: 'outputs.title', match: 'nope' }, /Unknown match 'nope'/],
  [{ target: 'outputs.title', match: 'constructor' }, /Unknown match/],
  [{ target: 'outputs.title', match: 'contains' }, /no reference/],
  [{ target: 'outputs.title', match: 'exact', reference: '$.inputs.nope' }, /'\$.inputs.nope' matches nothing/],
  [{ target: 'outputs.title', match: 'regex', reference: '(' }, /unterminated/],
  [{ target: 'outputs.title', match: 'similarity', similarity: 'x', reference: 'a' }, /Unknown similarity 'x'/],
  [{ target: 'outputs.title', match: 'diff', diff: 'x', reference: 'a' }, /Unknown diff 'x'/],
  [{ target: 'outputs.title', match: 'diff', reference: {} }, /compare as JSON/],
])('%j fails alone', async (node, message) => {
  expect(await outcome(node)).toEqual([expect.stringMatching(message), false])
})

test('a missing key of a provider fails the whole', async () => {
  const matchers = [{ target: 'outputs.title', match: 'similarity', similarity: 'cosine', reference: 'a' }]
  const embed = async () =>
    Promise.reject(new RunError(400, 'v0:schemas:invalid-secrets', 'No API key found for model'))
  await expect(run({ matchers }, { embed })).rejects.toMatchObject({ fragment: 'v0:schemas:invalid-secrets' })
  const embedded = async () => [
    [1, 0],
    [1, 0],
  ]
  expect(await run({ matchers }, { embed: embedded })).toMatchObject({ '': { score: 1, success: true }, score: 1 })
})

describe('results add up', () => {
  const good = { key: 'good', target: 'outputs.title' }
  const bad = { key: 'bad', target: 'outputs.n' }
  test.each<[JsonObject, number, boolean]>([
    [{ matchers: [] }, 1, true],
    [{ matchers: [good, bad] }, 0.5, false],
    [{ matchers: [good, bad], threshold: 0.5 }, 0.5, true],
    [{ matchers: [good, bad], threshold: 0 }, 0.5, true],
    [{ matchers: [{ ...good, weight: 3 }, bad] }, 0.75, false],
    [
      {
        matchers: [
          { ...good, weight: 0 },
          { ...bad, weight: 0 },
        ],
      },
      0,
      false,
    ],
    [{ matchers: [good, bad], score: 'max' }, 1, true],
    [{ matchers: [good, bad], score: 'min', success: 'any' }, 0, true],
    [{ matchers: [good, bad], score: 'max', success: 'all' }, 1, false],
    [{ matchers: [good, { key: 'both', matchers: [good, bad] }] }, 0.75, false],
    [
      { matchers: [good, { key: 'both', matchers: [good, bad], threshold: 0.5, weight: 1 }], success: 'all' },
      0.75,
      true,
    ],
  ])('%j', async (parameters, score, success) => {
    expect(await run(parameters)).toMatchObject({ score, success })
  })

  test('those of children are in the result of their parent', async () => {
    const parent = { key: 'both', matchers: [good], score: 'max' }
    expect(await run({ matchers: [parent] })).toEqual({
      both: { good: { success: true, score: 1, error: null }, score: 1, success: true, error: null },
      score: 1,
      success: true,
    })
  })
})

test.each<[JsonObject, string, string]>([
  [{}, 'missing-parameter', 'matchers'],
  [{ matchers: {} }, 'invalid-parameter', 'matchers'],
  [{ matchers: ['x'] }, 'invalid-parameter', 'matchers[0]'],
  [{ matchers: [{ key: 'a' }] }, 'missing-parameter', 'matchers[0].target'],
  [{ matchers: [{ target: 'a' }, { target: 'b' }] }, 'invalid-parameter', 'matchers[1].key'],
  [
    {
      matchers: [
        { key: 'error', target: 'a' },
        { key: 'score', target: 'a' },
      ],
    },
    'invalid-parameter',
    'matchers[1].key',
  ],
  [{ matchers: [{ key: 'success', target: 'a' }] }, 'invalid-parameter', 'matchers[0].key'],
  [{ matchers: [{ matchers: [{ key: 'error', target: 'a' }] }] }, 'invalid-parameter', 'matchers[0].matchers[0].key'],
  [{ matchers: [{ matchers: [{ target: 4 }] }] }, 'invalid-parameter', 'matchers[0].matchers[0].target'],
  [{ matchers: [{ target: 'a', weight: 'x' }] }, 'invalid-parameter', 'matchers[0].weight'],
  [{ matchers: [{ target: 'a', threshold: true }] }, 'invalid-parameter', 'matchers[0].threshold'],
  [{ matchers: [{ target: 'a', case_sensitive: 'x' }] }, 'invalid-parameter', 'matchers[0].case_sensitive'],
  [{ matchers: [], score: 'mean' }, 'invalid-parameter', 'score'],
  [{ matchers: [], threshold: 2 }, 'invalid-parameter', 'threshold'],
])('%j: 400', async (parameters, fragment, path) => {
  await expect(run(parameters)).rejects.toMatchObject({
    status: 400,
    fragment: `v0:schemas:${fragment}`,
    details: { path },
  })
})

test('what a path selects many times is compared up to a limit', async () => {
  const nested = (bottom: Json, levels: number): Json =>
    Array.from({ length: levels }).reduce<Json>(inside => [inside], bottom)
  const errorOf = async (inputs: JsonObject, more: JsonObject): Promise<Json | undefined> => {
    const parameters = { matchers: [{ key: 'one', target: '$.inputs..*..*', ...more }] }
    const { one } = (await runWith(match, { parameters, inputs, outputs: 'x' })) as { one: JsonObject }
    return one.error
  }
  const text = { deep: nested('x'.repeat(100_000), 60) }
  expect(await errorOf(text, { match: 'contains', reference: 'y' })).toBe(
    'A text to compare is longer than 67108864 characters.',
  )
  const deep = { deep: nested(1, 400) }
  expect(await errorOf(deep, { match: 'exact', mode: 'json', reference: '$.inputs..*..*' })).toBe(
    'More than 5000000 values are to be compared.',
  )
})

test('a run that has ended compares nothing more', async () => {
  const parameters = { matchers: [{ key: 'one', target: 'outputs' }] }
  const signal = AbortSignal.abort(new Error('over'))
  await expect(runWith(match, { parameters, outputs: 'x', signal })).rejects.toThrow('over')
})
