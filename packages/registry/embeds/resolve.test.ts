import { type Json, type JsonObject, Problem } from '@spanhouse/model'
import { expect, test } from 'vitest'
import type { EmbedTarget } from './embed.ts'
import { type EmbedLimits, resolveEmbeds } from './resolve.ts'
import type { LoadEmbeds } from './targets.ts'

type Documents = Record<string, JsonObject | null>

/** Revisions by slug; an artifact has the same name as its revision. Counts the loads. */
function loaderOf(documents: Documents): LoadEmbeds & { calls: number } {
  const slugOf = ({ references: { artifact, variant, revision } }: EmbedTarget): string => {
    if (revision?.slug === undefined)
      return `${(artifact ?? variant)?.slug}${revision?.version ? `@${revision.version}` : ''}`
    return revision.version === undefined ? revision.slug : `${revision.slug}@${revision.version}`
  }
  const load: LoadEmbeds & { calls: number } = async targets => {
    load.calls++
    return targets.map(target => {
      const slug = slugOf(target)
      if (slug === 'contradiction') return new Problem('invalid', 'workflow_ref.id contradicts')
      return Object.hasOwn(documents, slug) ? { id: slug, data: documents[slug] as JsonObject | null } : undefined
    })
  }
  load.calls = 0
  return load
}

const embed = (slug: string, path?: string, entity = 'workflow'): JsonObject => ({
  '@ag.embed': {
    '@ag.references': { [entity]: { slug } },
    ...(path === undefined ? {} : { '@ag.selector': { path } }),
  },
})

const prompt = (content: string): JsonObject => ({ prompt: { messages: [{ content }] } })

const DOCUMENTS: Documents = {
  tone: { parameters: { text: 'Be brief.', n: 3, list: [1, { a: null }], 'a.b': 'dotted', ...prompt('Hello') } },
  empty: null,
  outer: { parameters: { inner: embed('tone', 'parameters.text'), text: 'say @{{workflow.slug=tone, path=text}}' } },
  self: { parameters: { a: embed('self', 'parameters.b'), b: 'plain', c: embed('self', 'parameters.c') } },
  ring: { parameters: { text: '@{{workflow.slug=ring2, path=text}}' } },
  ring2: { parameters: { text: '@{{workflow.slug=ring, path=text}}' } },
  loop: { parameters: { x: embed('loop2', 'parameters.x') } },
  loop2: { parameters: { x: embed('loop', 'parameters.x') } },
  '1': { parameters: { x: embed('2', 'parameters.x') } },
  '2': { parameters: { x: embed('3', 'parameters.x') } },
  '3': { parameters: { x: 'end' } },
  wide: { parameters: { all: embed('middle'), again: embed('middle') } },
  middle: { parameters: { m: embed('tone', 'parameters.n') } },
  holder: { parameters: { inner: embed('tone', 'parameters.text') } },
  counted: { parameters: { text: 'x @{{workflow.slug=holder, path=inner}}' } },
  production: {
    references: {
      'bot.revision': {
        application: { id: '019d9ca1-0000-7000-8000-000000000001', slug: 'tone' },
        application_variant: { slug: 'blue' },
        application_revision: { slug: 'tone' },
      },
      nothing: {},
    },
  },
  single: { references: { one: { workflow_revision: { slug: 'tone' } } } },
  nested: { references: { a: { b: { evaluator: { slug: 'tone' } } } } as unknown as JsonObject },
  'few-3': { parameters: { from: 'slug-version' } },
  'art@2': { parameters: { from: 'artifact' } },
}

const resolve = (value: Json, limits: EmbedLimits & { self?: string } = {}) =>
  resolveEmbeds({ value }, loaderOf(DOCUMENTS), limits)

const env = (key: string | undefined, path?: string, slug = 'production'): JsonObject => ({
  '@ag.embed': {
    '@ag.references': { environment: { slug } },
    '@ag.selector': { ...(key === undefined ? {} : { key }), ...(path ? { path } : {}) },
  },
})

test.each<[string, Json, Json]>([
  ['nothing to do', { a: ['x', 1, null, true] }, { a: ['x', 1, null, true] }],
  ['an object', embed('tone', 'parameters.text'), 'Be brief.'],
  ['a number stays one', [embed('tone', 'parameters.n')], [3]],
  ['a list', embed('tone', '/parameters/list'), [1, { a: null }]],
  ['JSONPath', embed('tone', '$.parameters.list[1].a'), null],
  ['the whole data', embed('3'), { parameters: { x: 'end' } }],
  ['no data', embed('empty'), null],
  ['a chain', embed('1', 'parameters.x'), 'end'],
  ['embeds in what is embedded', embed('outer'), { parameters: { inner: 'Be brief.', text: 'say Be brief.' } }],
  ['a snippet', 'Rules: @{{workflow.slug=tone, path=text}} Go.', 'Rules: Be brief. Go.'],
  ['a snippet by default', '@{{application.slug=tone}}', 'Hello'],
  ['other separators', '@{{ evaluator_variant.slug:tone & path:n }}', '3'],
  ['a snippet that is an object', '<@{{workflow.slug=tone, path=list}}>', '<[1,{"a":null}]>'],
  ['a snippet with a pointer', '@{{workflow.slug=tone, path=/list/0}}', '1'],
  ['two in one text', '@{{workflow.slug=tone,path=n}}/@{{workflow.slug=tone,path=text}}', '3/Be brief.'],
  ['the long form', 'a @ag.embed[@ag.references[workflow.slug=tone], @ag.selector[path=parameters.n]] b', 'a 3 b'],
  ['the long form without a path', '@ag.embed[@ag.references[workflow_revision.slug=3]]', '{"parameters":{"x":"end"}}'],
  [
    'brackets in its path',
    '@ag.embed[@ag.references[workflow.slug=tone], @ag.selector[path=$.parameters.list[0]]]',
    '1',
  ],
  [
    'a path through an embed',
    '@ag.embed[@ag.references[workflow.slug=outer], @ag.selector[path=parameters.inner]]',
    'Be brief.',
  ],
  ['text inside of text', '@{{workflow.slug=outer, path=text}}!', 'say Be brief.!'],
  ['a placeholder behind an @', 'mail @{{name}} @{{ user.name }} {{x}}', 'mail @{{name}} @{{ user.name }} {{x}}'],
  [
    'null references and selectors',
    {
      '@ag.embed': {
        '@ag.references': { workflow: { id: null, slug: 'tone' }, evaluator: null, application: {} },
        '@ag.selector': { key: null, path: 'parameters.n' },
      },
    },
    3,
  ],
  ['one after another in a list', [embed('tone', 'parameters.n'), embed('tone', 'parameters.text')], [3, 'Be brief.']],
  ['dots in member names', { 'a.b': { 'c.d': embed('tone', 'parameters.n') } }, { 'a.b': { 'c.d': 3 } }],
  [
    'diamonds',
    { a: embed('wide') },
    { a: { parameters: { all: { parameters: { m: 3 } }, again: { parameters: { m: 3 } } } } },
  ],
  ['an environment as it is', env(undefined, 'references.nothing'), {}],
  ['through an environment', env('bot.revision', 'parameters.text'), 'Be brief.'],
  ['by the slug of the variant', env('blue', 'parameters.n'), 3],
  ['through nested keys', env('a.b', 'parameters.n', 'nested'), 3],
  ['a snippet through an environment', '@{{environment.slug=production, key=bot.revision, path=text}}', 'Be brief.'],
  ['a snippet and the only reference', '@{{environment.slug=single, path=n}}', '3'],
  [
    'a revision called like slug and version',
    '@{{workflow_revision.slug=few, workflow_revision.version=3, path=from}}',
    'slug-version',
  ],
  [
    'an artifact and a version',
    {
      '@ag.embed': {
        '@ag.references': { workflow_revision: { slug: 'art', version: '2' } },
        '@ag.selector': { path: 'parameters.from' },
      },
    },
    'artifact',
  ],
])('%s', async (_name, value, expected) => {
  expect((await resolve(value)).data).toEqual({ value: expected })
})

test('names that mean something to JavaScript are names', async () => {
  const value = JSON.parse(
    '{"__proto__": {"@ag.embed": {"@ag.references": {"workflow": {"slug": "3"}}}}, "constructor": "x"}',
  )
  const { data } = await resolve(value)
  expect(JSON.stringify(data.value)).toBe('{"__proto__":{"parameters":{"x":"end"}},"constructor":"x"}')
})

test('what was stored is not touched', async () => {
  const before = structuredClone(DOCUMENTS)
  await resolve([embed('outer'), embed('1'), '@{{workflow.slug=counted, path=text}}'])
  expect(DOCUMENTS).toEqual(before)
})

test.each<[string, Json, number, RegExp]>([
  ['nothing there', embed('nope'), 404, /does not exist/],
  ['no such path', embed('tone', 'parameters.nope'), 404, /parameters\.nope/],
  ['no such path of no data', embed('empty', 'x'), 404, /'x'/],
  ['no such path in a text', '@{{workflow.slug=tone, path=nope}}', 404, /nope/],
  ['no such key', env('nope'), 404, /nope/],
  ['an entry without references', env('nothing'), 404, /nothing/],
  ['a snippet without a key among several', '@{{environment.slug=production}}', 400, /key/],
  [
    'mixed families',
    { '@ag.embed': { '@ag.references': { workflow: { slug: 'tone' }, evaluator: { slug: 'tone' } } } },
    400,
    /refer to both/,
  ],
  ['no such entity', embed('tone', undefined, 'testset'), 400, /testset/],
  ['no such entity in a text', '@{{query.slug=x}}', 400, /query/],
  ['no references', { '@ag.embed': {} }, 400, /references/],
  ['empty references', { '@ag.embed': { '@ag.references': {} } }, 400, /at least one reference/],
  ['a reference of another type', { '@ag.embed': { '@ag.references': { workflow: 'tone' } } }, 400, /object/],
  ['a malformed id', { '@ag.embed': { '@ag.references': { workflow: { id: 'x' } } } }, 400, /workflow\.id/],
  [
    'a version that is a number',
    { '@ag.embed': { '@ag.references': { workflow_revision: { slug: 'x', version: 1 } } } },
    400,
    /version/,
  ],
  ['a contradiction', embed('contradiction'), 400, /contradicts/],
  ['a ring of texts', '@{{workflow.slug=ring, path=text}}', 400, /itself/],
  ['a ring of objects', embed('loop', 'parameters.x'), 400, /itself/],
  ['an embed of itself', embed('self', 'parameters.c'), 400, /itself/],
  ['an unknown part', '@{{workflow.slug=tone, way=x}}', 400, /way/],
])('%s: %i', async (_name, value, status, message) => {
  const problem = await resolve(value).catch(error => error)
  expect(problem).toBeInstanceOf(Problem)
  expect([problem.status, problem.message]).toEqual([status, expect.stringMatching(message)])
})

test('a revision cannot embed itself, and may embed another part of itself', async () => {
  const own = DOCUMENTS.self as JsonObject
  expect(
    (await resolveEmbeds({ x: (own.parameters as JsonObject).a ?? null }, loaderOf(DOCUMENTS), { self: 'self' })).data,
  ).toEqual({ x: 'plain' })
  await expect(resolve('@{{workflow.slug=tone, path=text}}', { self: 'tone' })).rejects.toThrow(/itself/)
})

test.each<[string, Json, object]>([
  ['nothing', 'x', { references_used: [], depth_reached: 0, embeds_resolved: 0, errors: [] }],
  [
    'one',
    embed('tone', 'parameters.n'),
    { references_used: [{ workflow: { slug: 'tone' } }], depth_reached: 1, embeds_resolved: 1 },
  ],
  ['equal ones', [embed('3'), embed('3')], { references_used: [{}, {}], depth_reached: 1, embeds_resolved: 2 }],
  [
    'an object, a text in it, an object in that',
    embed('counted'),
    {
      references_used: [{ workflow: { slug: 'counted' } }, { workflow: { slug: 'holder' } }],
      depth_reached: 3,
      embeds_resolved: 3,
    },
  ],
  [
    'objects come first',
    ['@{{workflow.slug=tone}}', embed('3')],
    { references_used: [{ workflow: { slug: '3' } }, { workflow: { slug: 'tone' } }] },
  ],
])('what is told: %s', async (_name, value, info) => {
  expect((await resolve(value)).info).toMatchObject(info)
})

test.each<[string, Json, EmbedLimits, number | null]>([
  ['deep enough', embed('1', 'parameters.x'), { max_depth: 3 }, null],
  ['too deep', embed('1', 'parameters.x'), { max_depth: 2 }, 400],
  ['texts count their depth on', embed('counted'), { max_depth: 2 }, 400],
  ['not too many', [embed('3'), embed('3')], { max_embeds: 2 }, null],
  ['too many', [embed('3'), embed('3'), embed('3')], { max_embeds: 2 }, 400],
  ['too many with those inside of texts', '@{{workflow.slug=outer, path=text}}', { max_embeds: 2 }, 400],
  ['zero is the usual limit', Array(100).fill(embed('3')), { max_embeds: 0, max_depth: 0 }, null],
  ['the usual limit', Array(101).fill(embed('3')), {}, 400],
  ['more when that is asked for', Array(101).fill(embed('3')), { max_embeds: 101 }, null],
])('limits: %s', async (_name, value, limits, status) => {
  const result = await resolve(value, limits).catch(error => error)
  expect(result instanceof Problem ? result.status : null).toBe(status)
})

test.each<[string, Json, Json, Json]>([
  [
    'an object',
    [embed('nope'), embed('3', 'parameters.x')],
    ['<error:EmbedNotFoundError>', 'end'],
    [embed('nope'), 'end'],
  ],
  [
    'a text with one that fails',
    'a @{{workflow.slug=nope}} b @{{workflow.slug=tone, path=n}}',
    '<error:EmbedNotFoundError>',
    'a @{{workflow.slug=nope}} b 3',
  ],
  [
    'a path in a text',
    '@{{workflow.slug=tone, path=nope}}',
    '<error:PathNotFoundError>',
    '@{{workflow.slug=tone, path=nope}}',
  ],
  ['a cycle', embed('loop', 'parameters.x'), '<error:CircularEmbedError>', embed('loop', 'parameters.x')],
])('policies: %s', async (_name, value, marked, kept) => {
  const placeholders = await resolve(value, { error_policy: 'placeholder' })
  expect(placeholders.data).toEqual({ value: marked })
  expect(placeholders.info.errors).toHaveLength(1)
  const left = await resolve(value, { error_policy: 'keep' })
  expect(left.data).toEqual({ value: kept })
  expect(left.info.errors).toHaveLength(1)
})

test.each<[string, Json, string]>([
  ['an object', { q: embed('nope') }, 'EmbedNotFoundError: data.value.q (workflow.slug=nope): The target'],
  [
    'a token',
    ['x @{{workflow.slug=nope, path=a}} y'],
    'EmbedNotFoundError: data.value.0 (workflow.slug=nope): The target',
  ],
  [
    'several references',
    { '@ag.embed': { '@ag.references': { workflow: { slug: 'a' }, workflow_revision: { version: '7' } } } },
    'EmbedNotFoundError: data.value (workflow.slug=a, workflow_revision.version=7): The target',
  ],
  [
    'a path',
    embed('tone', 'no.way'),
    "PathNotFoundError: data.value (workflow.slug=tone): The embedded content has no 'no.way'",
  ],
  ['a key', [env('other')], 'EmbedNotFoundError: data.value.0 (environment.slug=production, key=other): The embedded'],
  [
    'an embed in what is embedded',
    [embed('loop', 'parameters')],
    'CircularEmbedError: data.value.0.x (workflow.slug=loop2)',
  ],
  [
    'an embed in what a text needs',
    ['@{{workflow.slug=ring, path=text}}'],
    'CircularEmbedError: data.value.0 (workflow.slug=ring)',
  ],
  ['one that cannot be read', { q: { '@ag.embed': {} } }, 'InvalidEmbedError: data.value.q: @ag.embed must contain'],
  [
    'long texts',
    { ['x'.repeat(400)]: embed('y'.repeat(400)) },
    `EmbedNotFoundError: data.value.${'x'.repeat(289)}… (workflow.slug=${'y'.repeat(286)}…)`,
  ],
])('a failure says which embed it is: %s', async (_name, value, message) => {
  const { errors } = (await resolve(value, { error_policy: 'keep' })).info
  expect(errors).toEqual([expect.stringContaining(message)])
  await expect(resolve(value)).rejects.toThrow(errors[0]?.slice(errors[0].indexOf(' ') + 1))
})

test('limits follow the policy too', async () => {
  const { data, info } = await resolve(Array(3).fill(embed('3')), { max_embeds: 2, error_policy: 'placeholder' })
  expect(data.value).toEqual([
    { parameters: { x: 'end' } },
    { parameters: { x: 'end' } },
    '<error:MaxEmbedsExceededError>',
  ])
  expect(info.embeds_resolved).toBe(2)
  const deep = await resolve(embed('1', 'parameters.x'), { max_depth: 2, error_policy: 'keep' })
  expect(deep.data.value).toEqual(embed('3', 'parameters.x'))
})

test('each level is loaded at once, and nothing twice', async () => {
  const load = loaderOf(DOCUMENTS)
  await resolveEmbeds(
    { value: [...Array(20).fill(embed('1')), ...Array(20).fill('@{{workflow.slug=2, path=x}}')] },
    load,
    {},
  )
  expect(load.calls).toBe(2)
})

test('copies are bounded', async () => {
  const big = { big: { parameters: { text: 'x'.repeat(1_000_000) } } }
  const value = Array(100).fill(embed('big', 'parameters.text'))
  await expect(resolveEmbeds({ value }, loaderOf(big), {})).rejects.toThrow(/too large/)
  let deep: Json = 'x'
  for (let i = 0; i < 600; i++) deep = [deep]
  await expect(resolve(deep)).rejects.toThrow(/too deep/)
  const half = { half: { parameters: { x: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) } } }
  const inHalf = JSON.parse(`${'['.repeat(300)}${JSON.stringify(embed('half', 'parameters.x'))}${']'.repeat(300)}`)
  await expect(resolveEmbeds({ inHalf }, loaderOf(half), {})).rejects.toThrow(/too deep/)
})

test('text that only looks like tokens costs no time', async () => {
  const text = `${'@ag.embed[@ag.references['.repeat(40_000)}${'@{{'.repeat(100_000)}`
  const start = process.cpuUsage()
  expect((await resolve(text)).data.value).toBe(text)
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2000)
})

test('any number of embeds in one text is counted', async () => {
  const value = '@{{workflow.slug=tone, path=n}}'.repeat(200_000)
  await expect(resolve(value)).rejects.toMatchObject({ status: 400, detail: expect.stringContaining('max_embeds') })
  const { data, info } = await resolve(value, { error_policy: 'keep', max_embeds: 1 })
  expect(data.value).toBe(value.replace('@{{workflow.slug=tone, path=n}}', '3'))
  expect(info).toMatchObject({ embeds_resolved: 1, depth_reached: 1 })
})

test('texts inside of each other count each time that they are put together', async () => {
  const stored: Documents = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [
      `n${n}`,
      { parameters: { text: n === 49 ? 'x'.repeat(5_000_000) : `@{{workflow.slug=n${n + 1}, path=text}}` } },
    ]),
  )
  const resolving = resolveEmbeds({ value: '@{{workflow.slug=n0, path=text}}' }, loaderOf(stored), { max_depth: 100 })
  await expect(resolving).rejects.toMatchObject({ status: 400, detail: expect.stringContaining('too large') })
})

test('a path that selects the same over and over into a text is too large', async () => {
  // Together more than a string can have: it must be refused before it is put together.
  const inner = { text: 'x'.repeat(4_000_000) } as JsonObject
  const deep = Array.from({ length: 150 }).reduce<JsonObject>(below => ({ below }), inner)
  const resolving = resolveEmbeds(
    { value: '@ag.embed[@ag.references[workflow.slug=deep], @ag.selector[path:$..*]]' },
    loaderOf({ deep: { parameters: deep } }),
  )
  await expect(resolving).rejects.toMatchObject({ status: 400, detail: expect.stringContaining('too large') })
})
