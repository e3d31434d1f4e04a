import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NUMERIC_TEXT } from '@spanhouse/query'
import { check } from 'recheck'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Expressions that may take more than linear time, and why they never see input of callers. */
const EXEMPT: Record<string, string> = {
  'packages/span-store/engine/failures.ts /\\b(maximum|max[^:]*): [^,.)]*/i': "ClickHouse's own messages",
  'packages/span-store/migrate.ts /^\\s*--.*$/gm': 'our own files of SQL',
}

/** Where an expression is made of something that is no literal: of constants, unless it says more. */
const CONSTRUCTED: Record<string, string> = {
  'packages/query/filter/content-query.ts': 'the class of characters in words',
  'packages/query/match/match-value.ts': 'the grammar of numbers, which is also sent to ClickHouse',
  'packages/web/src/traces/filter-text.ts': 'a part that occurs in it twice',
  'packages/registry/embeds/embed.ts': 'names of kinds and layers',
  'packages/registry/embeds/tokens.ts': 'one of three literals',
  'packages/server/http/paths.ts': 'names of route families',
  'packages/server/routes/web/preview.ts': 'names of members, in a thousand characters',
  'packages/runtime/work/pattern/python-pattern.ts': 'patterns of callers, in threads that are ended after a second',
  'packages/runtime/schema/well-formed.ts':
    'a pattern of a caller, in a thread that can be ended, and only to see whether it can be read',
}

interface Found {
  file: string
  pattern: string
  flags: string
}

/** They make an expression of a text that they are given. */
const SEARCHES = new Set(['match', 'matchAll', 'search'])

/** A literal, or a constant of the file. */
const isExpression = (node: ESTree.Argument): boolean =>
  (node.type === 'Literal' && 'regex' in node) || (node.type === 'Identifier' && /^[A-Z_]+$/.test(node.name))

const literals: Found[] = []
const constructed: string[] = []
for (const file of sources()) {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'))
  const note = ({ callee, arguments: [first] }: ESTree.NewExpression | ESTree.CallExpression): void => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') constructed.push(file)
    const isSearch =
      callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && SEARCHES.has(callee.property.name)
    if (isSearch && first && !isExpression(first)) constructed.push(file)
  }
  new Visitor({
    Literal: node => {
      if ('regex' in node) literals.push({ file, ...node.regex })
    },
    NewExpression: note,
    CallExpression: note,
  }).visit(program)
}

/** The program's own texts: no tests, nothing that only tests use. */
function sources(): string[] {
  return (
    readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !/\.(test|testing)\.ts$/.test(file) && !file.includes('node_modules'))
      .map(file => `packages/${file}`)
      // No tenant can send it input.
      .filter(file => !file.startsWith('packages/fake-provider/'))
  )
}

/**
 * Undefined for an expression that takes linear time on any text; otherwise the result of the analysis. `check`
 * analyses in a native program where npm has installed one (5 s for all expressions), `checkSync` in JavaScript (60 s).
 */
async function complexityOf({ pattern, flags }: Pick<Found, 'pattern' | 'flags'>): Promise<string | undefined> {
  const found = await check(pattern, flags, { randomSeed: 1, timeout: 120_000 })
  if (found.status === 'safe') return undefined
  return found.status === 'vulnerable' ? found.complexity.summary : found.status
}

test('every regular expression takes linear time on any text', async () => {
  expect(literals.length).toBeGreaterThan(100)
  const slow: { name: string; complexity: string }[] = []
  for (const literal of literals) {
    const complexity = await complexityOf(literal)
    if (complexity !== undefined)
      slow.push({ name: `${literal.file} /${literal.pattern}/${literal.flags}`, complexity })
  }
  expect(slow.filter(({ name }) => !Object.hasOwn(EXEMPT, name))).toEqual([])
  // An exemption that is needed no more goes.
  expect(Object.keys(EXEMPT).filter(name => !slow.some(one => one.name === name))).toEqual([])
}, 600_000)

test('so does the grammar of numbers', async () => {
  expect(await complexityOf({ pattern: NUMERIC_TEXT, flags: '' })).toBe(undefined)
})

test('regular expressions are made of constants only', () => {
  expect([...new Set(constructed)].toSorted()).toEqual(Object.keys(CONSTRUCTED).toSorted())
})

// With `u` V8 14.6 (Node 26) finds no /[^a]$/ in a text that ends with a surrogate pair: packages/server/DECISIONS.md,
// 2026-11-28.
test('none is of the kind that V8 reads wrongly', () => {
  const isWrong = ({ pattern, flags }: Found): boolean =>
    flags.includes('u') && pattern.includes('[^') && pattern.endsWith('$') && !pattern.startsWith('^')
  expect(literals.filter(isWrong)).toEqual([])
})

test.each([
  ['(a+)+$', ''],
  ['^\\d+\\d+x', ''],
  ['\\s+x', ''],
  ['/+$', ''],
  ['^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)$', ''],
])('/%s/%s would be found', async (pattern, flags) => {
  expect(await complexityOf({ pattern, flags })).toBeDefined()
})
