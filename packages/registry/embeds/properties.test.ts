import { type Json, Problem } from '@spanhouse/model'
import { valueAtPath } from '@spanhouse/runtime'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveEmbeds } from './resolve.ts'
import { tokensOf } from './tokens.ts'

/** Texts and names in which markers, their parts and characters that break them are frequent. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '@{{',
        '}}',
        '@ag.embed',
        '[',
        ']',
        '@ag.references',
        '@ag.selector',
        'workflow.slug=x',
        ',',
        '&',
      ),
      fc.constantFrom('path=', 'key=', 'a.b', '$..', '$.a[*]', "['x']", '/a/0', '~1', '__proto__', '0', '{', '}', ':'),
      fc.string(),
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(''))

const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
  ),
})).value

test('the pieces of a text are the text', () => {
  fc.assert(
    fc.property(text, value => {
      const pieces = tokensOf(value) ?? [value]
      expect(pieces.map(piece => (typeof piece === 'string' ? piece : piece.source)).join('')).toBe(value)
    }),
    { numRuns: 2000 },
  )
})

test('where nothing is found, keeping what fails keeps everything', async () => {
  const nothing = async (targets: readonly unknown[]) => targets.map(() => undefined)
  await fc.assert(
    fc.asyncProperty(json, async value => {
      const { data, info } = await resolveEmbeds({ value }, nothing, { error_policy: 'keep' })
      expect(JSON.stringify(data)).toBe(JSON.stringify({ value }))
      expect(info).toMatchObject({ embeds_resolved: 0, depth_reached: 0, references_used: [] })
    }),
    { numRuns: 500 },
  )
})

test('where everything is found, it ends: in a document without embeds, or in a problem', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json, { minLength: 1, maxLength: 3 }), json, async (stored, value) => {
      const load = async (targets: readonly unknown[]) =>
        targets.map((_, n) => ({
          id: String(n % stored.length),
          data: { parameters: stored[n % stored.length] ?? null },
        }))
      const result = await resolveEmbeds({ value }, load, {}).catch(error => error)
      if (result instanceof Problem) expect([400, 404]).toContain(result.status)
      else expect(result.info.errors).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('any path leads somewhere or nowhere', () => {
  fc.assert(
    fc.property(json, text, (document, path) => {
      const value = valueAtPath(document, path)
      expect(value === undefined || JSON.stringify(value) !== undefined).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
