import type { Json } from '@spanhouse/model'
import { Problem } from '@spanhouse/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CodeOutcome, openSandbox, type Runtime, SANDBOX_LIMITS, type Sandbox } from './index.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = openSandbox()
})
afterAll(() => sandbox.close())

const run = (runtime: Runtime, source: string, ...values: Json[]): Promise<CodeOutcome> =>
  sandbox.run({ owner: 'author', runtime, source, arguments: values })

describe('ways to define evaluate', () => {
  test.each([
    ['javascript', 'function evaluate(a, b) { return a + b }'],
    ['javascript', 'async function evaluate(one, two) { return (await one) + two }'],
    ['javascript', 'const evaluate = (a, b) => a + b'],
    ['javascript', 'var evaluate = async (a, b) => a + b // a comment at the end'],
    ['javascript', 'export function evaluate(a, b) { return a + b }'],
    ['javascript', 'const add = (a, b) => a + b\nexport { add as evaluate, add as default }'],
    ['javascript', 'export default (a, b) => a + b'],
    ['javascript', 'export default async function (a, b) { return a + b }'],
    ['javascript', 'const zero = await Promise.resolve(0)\nfunction evaluate(a, b) { return zero + a + b }'],
    ['typescript', 'export default function evaluate(a: number, b: number): number { return a + b }'],
    ['typescript', 'interface One { a: number }\nconst evaluate = (a: One["a"], b: any) => a + (b as number)'],
    ['typescript', 'enum Start { Zero }\nfunction evaluate(a: number, b: number) { return Start.Zero + a + b }'],
    [
      'typescript',
      'class Sum { constructor(private a: number) {} add(b: number) { return this.a + b } }\nconst evaluate = (a: number, b: number) => new Sum(a).add(b)',
    ],
    ['python', 'def evaluate(a, b):\n    return a + b'],
    ['python', 'async def evaluate(one, two):\n    return one + two'],
    ['python', 'evaluate = lambda a, b: a + b'],
    [
      'python',
      'import asyncio\nasync def evaluate(a, b):\n    await asyncio.sleep(0.001)\n    return sum(await asyncio.gather(*[asyncio.to_thread] and [half(a), half(b)]))\nasync def half(x):\n    return x',
    ],
    [
      'python',
      'import asyncio\nasync def add(a, b):\n    return a + b\ndef evaluate(a, b):\n    return asyncio.run(add(a, b))',
    ],
  ] as const)('%s: %s', async (runtime, source) => {
    expect(await run(runtime, source, 2, 40)).toEqual({ ok: true, value: 42 })
  })

  test.each(['javascript', 'typescript', 'python'] as const)('%s without it', async runtime => {
    expect(await run(runtime, 'other = 1')).toMatchObject({ ok: false, kind: 'no_function' })
  })
})

describe('results', () => {
  const big = JSON.parse('{"é\\"\\\\":[null,true,-1.5e-7,"\\ud83d\\ude00","\\ud800",{}]}') as Json

  test.each([
    ['javascript', 'const evaluate = x => x'],
    ['python', 'def evaluate(x):\n    return x'],
  ] as const)('%s: any JSON comes back as it went', async (runtime, source) => {
    expect(await run(runtime, source, big)).toEqual({ ok: true, value: big })
  })

  test('Python keeps integers of any size, tuples are lists, a Counter is an object', async () => {
    const source = 'import collections\ndef evaluate():\n    return [2**80, (1, 2.5), collections.Counter("aab"), None]'
    const outcome = await run('python', source)
    expect(JSON.stringify(outcome)).toBe('{"ok":true,"value":[1208925819614629174706176,[1,2.5],{"a":2,"b":1},null]}')
  })

  test('JavaScript asks toJSON and leaves out members that are undefined', async () => {
    const source = 'const evaluate = () => ({ at: new Date(0), none: undefined })'
    expect(await run('javascript', source)).toEqual({ ok: true, value: { at: '1970-01-01T00:00:00.000Z' } })
  })

  test.each([
    ['javascript', 'NaN', 'NaN,'],
    ['javascript', '[1, { a: -Infinity }]', '-Infinity at [1].a'],
    ['javascript', 'undefined', 'undefined'],
    ['javascript', '[undefined]', 'undefined at [0]'],
    ['javascript', '() => 1', 'a function'],
    ['javascript', '({ big: 1n })', 'a bigint at .big'],
    ['javascript', 'Symbol()', 'a symbol'],
    ['javascript', 'new Map([[1, 2]])', 'class Map'],
    ['javascript', '(o => (o.me = o))({})', 'a cycle at .me'],
    ['javascript', 'Array.from({ length: 300 }).reduce(x => [x], 1)', '200 levels'],
    ['python', 'float("nan")', 'nan'],
    ['python', '{"a": [float("-inf")]}', "-inf at ['a'][0]"],
    ['python', '{1: 2}', 'the key 1 '],
    ['python', '{1, 2}', 'class set'],
    ['python', 'lambda: 1', 'class function'],
    ['python', 'b"x"', 'class bytes'],
    ['python', '__import__("decimal").Decimal(1)', 'class Decimal'],
    ['python', '(lambda x: x.append(x) or x)([])', 'a cycle at [0]'],
    ['python', '__import__("functools").reduce(lambda x, _: [x], range(300), 1)', '200 levels'],
  ] as const)('%s: %s is not JSON', async (runtime, value, name) => {
    const source = runtime === 'python' ? `def evaluate():\n    return ${value}` : `const evaluate = () => (${value})`
    const outcome = await run(runtime, source)
    expect(outcome).toMatchObject({ ok: false, kind: 'result', message: expect.stringContaining(name) })
  })
})

describe('errors name the line of the source and nothing of the host', () => {
  test.each([
    ['javascript', 'function evaluate() {\n  return inner.a.b\n}\nconst inner = {}', 'code', 2, 'TypeError'],
    ['javascript', '\n\nthrow new RangeError("at the top")', 'code', 3, 'RangeError: at the top'],
    [
      'javascript',
      'export function evaluate() {\n  return inner()\n}\nfunction inner() { throw new Error("x") }',
      'code',
      4,
      'Error: x',
    ],
    ['javascript', 'async function evaluate() {\n  await null\n  throw new Error("late")\n}', 'code', 3, 'Error: late'],
    ['javascript', 'function evaluate() {\n  return }}', 'syntax', 2, 'SyntaxError'],
    ['javascript', 'export function evaluate() {\n  return }}', 'syntax', 2, 'SyntaxError'],
    ['javascript', 'function evaluate() { JSON.parse("{") }', 'code', 1, 'SyntaxError'],
    ['javascript', 'function evaluate() { throw { a: 1 } }', 'code', undefined, 'Uncaught {"a":1}'],
    ['javascript', 'function evaluate() { throw { a: 1n } }', 'code', undefined, 'cannot be shown'],
    ['javascript', 'const a = {}\na.a = a\nthrow a', 'code', undefined, 'cannot be shown'],
    ['javascript', 'throw new Proxy({}, { getPrototypeOf() { throw 1 } })', 'code', undefined, 'cannot be shown'],
    ['javascript', 'import fs from "node:fs"\nexport const evaluate = () => 1', 'code', undefined, "'node:fs'"],
    ['javascript', 'const evaluate = () => new Promise(() => {})', 'code', undefined, 'never settles'],
    ['typescript', 'type A = number\n\nfunction evaluate(a: A): A {\n  throw new Error("y")\n}', 'code', 4, 'Error: y'],
    [
      'typescript',
      'enum E {\n  A,\n  B,\n}\n\nfunction evaluate() {\n  throw new Error("z")\n}',
      'code',
      7,
      'Error: z',
    ],
    ['typescript', 'let a: = 1', 'syntax', 1, 'SyntaxError'],
    ['python', 'def evaluate():\n    x = {}\n    return x["a"]', 'code', 3, "KeyError: 'a'"],
    ['python', 'def evaluate():\n    import json\n    return json.loads("{")', 'code', 3, 'JSONDecodeError'],
    ['python', 'def evaluate()\n    return 1', 'syntax', 1, 'SyntaxError'],
    ['python', 'def evaluate():\n  return 1\n   x', 'syntax', 3, 'IndentationError'],
    ['python', 'import numpy\ndef evaluate():\n    return 1', 'code', 1, "No module named 'numpy'"],
    ['python', 'def evaluate(a):\n    return 1', 'code', undefined, 'TypeError'],
    ['python', 'async def evaluate():\n    raise ValueError("async")', 'code', 2, 'ValueError: async'],
    [
      'python',
      'class E(Exception):\n    def __str__(self): raise self\ndef evaluate():\n    raise E()',
      'code',
      4,
      'E',
    ],
    [
      'python',
      'import asyncio\nasync def evaluate():\n    await asyncio.Event().wait()',
      'code',
      undefined,
      'never happens',
    ],
  ] as const)('%s: %s', async (runtime, source, kind, line, message) => {
    const outcome = await run(runtime, source)
    expect(outcome).toMatchObject({ ok: false, kind, message: expect.stringContaining(message) })
    expect((outcome as { line?: number }).line).toBe(line)
    expect(JSON.stringify(outcome)).not.toMatch(/\/|runner|wasm/)
  })

  test.each([
    ['javascript', 'function evaluate() { throw new Error("x".repeat(1e6)) }'],
    ['python', 'def evaluate():\n    raise ValueError("x" * 10**6)'],
  ] as const)('%s: a long message is cut', async (runtime, source) => {
    const outcome = await run(runtime, source)
    expect((outcome as { message: string }).message).toHaveLength(SANDBOX_LIMITS.messageLengthMax)
  })
})

test('the standard library of Python is there, and print goes nowhere', async () => {
  const source = `
import base64, collections, csv, datetime, decimal, difflib, hashlib, itertools, json, math, random, re, statistics
import string, textwrap, unicodedata, urllib.parse, uuid, zlib, xml.etree.ElementTree, html.parser, configparser
def evaluate(inputs):
    print("x" * 100_000, file=__import__("sys").stderr)
    print(inputs)
    return [json.loads('[1]')[0], re.sub("a+", "b", "caab"), statistics.mean([1, 2]), datetime.date(2026, 1, 2).isoformat(),
      hashlib.sha256(b"").hexdigest()[:6], html.unescape("&lt;"), len(str(uuid.uuid4())), 0 <= random.random() < 1]`
  const outcome = await run('python', source, {})
  expect(outcome).toEqual({ ok: true, value: [1, 'cbb', 1.5, '2026-01-02', 'e3b0c4', '<', 36, true] })
})

test('random numbers, identifiers and the time are new in every run', async () => {
  const sources = [
    ['javascript', 'const evaluate = () => [Math.random(), Date.now()]'],
    [
      'python',
      'import random, uuid, time\ndef evaluate():\n    return [random.random(), str(uuid.uuid4()), time.time()]',
    ],
  ] as const
  for (const [runtime, source] of sources) {
    const [first, second] = [await run(runtime, source), await run(runtime, source)]
    expect(first).toMatchObject({ ok: true })
    expect(first).not.toEqual(second)
  }
})

test.each(['javascript', 'python'] as const)(
  '%s: a source or arguments beyond their limits are a Problem',
  async runtime => {
    const { sourceBytesMax, argumentBytesMax } = SANDBOX_LIMITS
    const source = runtime === 'python' ? 'def evaluate(x):\n    return len(x)' : 'const evaluate = x => x.length'
    const tooLong = run(runtime, source + (runtime === 'python' ? '#' : '//').padEnd(sourceBytesMax, 'x'), '')
    await expect(tooLong).rejects.toThrow(new Problem('too_large', 'The source of the code is longer than 1 MiB.'))
    const tooLarge = run(runtime, source, 'x'.repeat(argumentBytesMax))
    await expect(tooLarge).rejects.toThrow(
      new Problem('too_large', 'The arguments of the code are longer than 16 MiB of JSON.'),
    )
    const length = argumentBytesMax - 10
    expect(await run(runtime, source, 'x'.repeat(length))).toEqual({ ok: true, value: length })
  },
)
