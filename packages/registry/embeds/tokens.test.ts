import { expect, test } from 'vitest'
import { tokensOf } from './tokens.ts'

const sources = (text: string): string[] | undefined =>
  tokensOf(text)?.flatMap(piece => (typeof piece === 'string' ? [] : [piece.source]))

const LONG = '@ag.embed[ @ag.references[workflow.slug=a] , @ag.selector[path:x[0].y] ]'

test.each<[string, string[] | undefined]>([
  ['no token', undefined],
  ['a @{{workflow.slug=a}} b', ['@{{workflow.slug=a}}']],
  [`${LONG}@{{ workflow.slug : a , path = x }}`, [LONG, '@{{ workflow.slug : a , path = x }}']],
  ['@{{name}} @{{a=b}} @{{{workflow.slug=a}}', undefined],
  ['@{{@{{workflow.slug=a}}', ['@{{workflow.slug=a}}']],
  ['@ag.embed[@ag.references[workflow.slug=a]', undefined],
  ['@ag.embed[@ag.references[workflow.slug=a],]', undefined],
  [`@{{workflow.slug=${'a'.repeat(1010)}}}`, [`@{{workflow.slug=${'a'.repeat(1010)}}}`]],
  [`@{{workflow.slug=${'a'.repeat(1011)}}}`, undefined],
  [
    `@ag.embed[@ag.references[],@ag.selector[${'[a]'.repeat(1024)}]]`,
    [`@ag.embed[@ag.references[],@ag.selector[${'[a]'.repeat(1024)}]]`],
  ],
  [`@ag.embed[@ag.references[],@ag.selector[${'[a]'.repeat(1025)}]]`, undefined],
])('tokens of %.60s', (text, expected) => {
  expect(sources(text)).toEqual(expected)
})

test.each([
  ['snippets with blanks', `@{{workflow.slug=x${' '.repeat(990)}y}} `],
  ['beginnings with blanks', `@ag.embed[${' '.repeat(990)}`],
  ['beginnings', '@ag.embed[@ag.references['],
  ['selectors', `@ag.embed[@ag.references[],@ag.selector[${'[] '.repeat(300)}`],
])('%s are read in linear time', (_name, part) => {
  const text = part.repeat(4_000_000 / part.length)
  const begin = process.cpuUsage()
  tokensOf(text)
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(2_000)
})
