import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Json, type JsonObject, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { COMPARED_LENGTH_MAX, workMeans } from './work-threads.ts'

const { searchTexts, compute } = workMeans('a project')

test('a pattern is found or not in each text', async () => {
  expect(await searchTexts({ source: '^A', ignoreCase: true }, ['abc', 'cba', ''])).toEqual([true, false, false])
  expect(await searchTexts({ source: '^A', ignoreCase: false }, ['abc'])).toEqual([false])
})

test.each([
  ['(', /regular expression cannot be used.*unterminated subpattern/],
  ['^(a+)+$', /more than 1 s/],
])('%s: the caller is told', async (source, message) => {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  await expect(searchTexts({ source, ignoreCase: false }, [`${'a'.repeat(50)}!`])).rejects.toMatchObject({
    status: 400,
    fragment: 'v0:workflows:regex-pattern-error',
    message: expect.stringMatching(message),
  })
  expect(delays.max / 1e6).toBeLessThan(900)
  expect(await searchTexts({ source: 'a', ignoreCase: false }, ['a'])).toEqual([true])
})

test('while one owner waits, another is answered', async () => {
  const quick = { source: 'b', ignoreCase: false }
  // Both threads are running, so that neither has to start within the slow question's second.
  await Promise.all([searchTexts(quick, ['b']), workMeans('another').searchTexts(quick, ['b'])])
  const slow = searchTexts({ source: '^(a+)+$', ignoreCase: false }, [`${'a'.repeat(50)}!`]).catch(() => 'ended')
  let isSlow = true
  const done = slow.then(() => {
    isSlow = false
  })
  expect(await workMeans('another').searchTexts(quick, ['b'])).toEqual([true])
  expect(isSlow).toBe(true)
  await done
})

test.each(['editDistance', 'matchingRatio'] as const)('%s is the same in a thread as on the spot', async name => {
  const long = 'the quick brown fox 😀 jumps '.repeat(200)
  const changed = long.replace('quick', 'slow')
  expect(await compute(name, 'kitten', 'sitting')).toBe(name === 'editDistance' ? 3 : (2 * 4) / 13)
  const expected = name === 'editDistance' ? 5 : (2 * (5_600 - 5)) / (5_600 + 5_599)
  expect(await compute(name, long, changed)).toBeCloseTo(expected, 9)
})

test('what is too large or takes too long is refused, and says the bound', async () => {
  const refusal = (message: RegExp) => ({
    status: 400,
    fragment: 'v0:schemas:invalid-outputs',
    message: expect.stringMatching(message),
  })
  const tooLong = 'a'.repeat(COMPARED_LENGTH_MAX + 1)
  await expect(compute('editDistance', tooLong, 'aaa')).rejects.toMatchObject(refusal(/1048576 characters/))
  const same = 'a'.repeat(COMPARED_LENGTH_MAX)
  await expect(compute('matchingRatio', same, same)).rejects.toMatchObject(refusal(/more than 5 s/))
})

test('texts that take long to search for do not hold up others', async () => {
  expect(await compute('containsTexts', 'abc', ['b', 'x'], 'any')).toBe(true)
  const long = 'a'.repeat(1_000_000)
  expect(await compute('containsTexts', long, ['a'.repeat(900_000), 'x'], 'all')).toBe(false)
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const sought = compute('containsTexts', long, [`ab${'a'.repeat(100_000)}`], 'any')
  await expect(sought).rejects.toMatchObject({
    status: 400,
    fragment: 'v0:schemas:invalid-outputs',
    message: 'The texts cannot be searched: it takes more than 5 s',
  })
  expect(delays.max / 1e6).toBeLessThan(2_500)
})

test('templates are rendered on the spot or in a thread, with integers of any size', async () => {
  const context = { big: parseJson('12345678901234567890'), pad: 'x'.repeat(100_000) }
  for (const { pad, ...small } of [context, { big: context.big, pad: '' }])
    expect(await compute('renderTemplates', 'curly', ['{{big}}'], pad ? { ...small, pad } : small)).toEqual([
      { text: '12345678901234567890' },
    ])
  expect(await compute('renderTemplates', 'jinja2', ['{{ 1 + 1 }}'], {})).toEqual([{ text: '2' }])
})

test('a template that is nested too deeply for its engine leaves others alone', async () => {
  const templateOf = (depth: number): string => `{{ ${'-'.repeat(depth)}1 }}`
  for (const depth of [10_000, 30_000, 100_000]) {
    const nested = compute('renderTemplates', 'jinja2', [templateOf(depth)], {})
    await Promise.allSettled([nested])
    expect(await compute('renderTemplates', 'jinja2', ['{{ name }}'], { name: 'n' })).toEqual([{ text: 'n' }])
    await expect(nested).rejects.toMatchObject({ fragment: 'v0:workflows:prompt-formatting-error' })
  }
})

test('a template that its engine fails to compute is refused with the reason, and leaves others alone', async () => {
  const failing = compute('renderTemplates', 'jinja2', ['{{ 1 is divisibleby 0 }}'], {})
  const next = compute('renderTemplates', 'jinja2', ['{{ 4 is divisibleby 2 }}'], {})
  await expect(failing).rejects.toMatchObject({
    status: 400,
    fragment: 'v0:workflows:prompt-formatting-error',
    message: expect.stringContaining('divisor of zero'),
  })
  expect(await next).toEqual([{ text: 'true' }])
})

/** Renders where other work goes on meanwhile. */
async function renderedElsewhere(template: string, values: JsonObject): Promise<unknown> {
  let isBlocked = true
  setImmediate(() => {
    isBlocked = false
  })
  const rendered = await compute('renderTemplates', 'curly', [template], values)
  expect(isBlocked).toBe(false)
  return rendered
}

test('paths to all descendants, which multiply, are followed in a thread', async () => {
  let deep: Json = 1
  for (let level = 0; level < 20; level++) deep = [deep]
  const rendered = await renderedElsewhere('{{$..*..*..*}}', { deep })
  expect(rendered).toEqual([{ text: expect.stringMatching(/^\[+1\]/) }])
})

test('a value that is printed a thousand times, which multiplies too, is printed in a thread', async () => {
  const list = Array.from({ length: 100 }, (_, n) => ({ n }))
  expect(await renderedElsewhere('{{list}}'.repeat(1_000), { list })).toEqual([
    { text: expect.stringMatching(/^\[\{"n": 0\}/) },
  ])
})

test('of one owner only so many questions wait', async () => {
  const asked = Array.from({ length: 1_200 }, () => searchTexts({ source: 'a', ignoreCase: false }, ['a']))
  const refused = (await Promise.allSettled(asked)).filter(one => one.status === 'rejected')
  expect(refused.length).toBeGreaterThan(100)
  for (const { reason } of refused) expect(reason).toMatchObject({ status: 503, retryAfterSeconds: 1 })
})
