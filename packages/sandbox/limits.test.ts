import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstOfEach } from '../../test/sets/sample.ts'
import { type CodeOutcome, openSandbox, type Runtime, type Sandbox } from './index.ts'

// Each of these runs takes its limit of seconds, so they run side by side.
let sandbox: Sandbox
beforeAll(() => {
  sandbox = openSandbox({ processesMax: 2 })
})
afterAll(() => sandbox.close())

let owners = 0
const run = (runtime: Runtime, source: string): Promise<CodeOutcome> =>
  sandbox.run({ owner: `owner ${owners++}`, runtime, source, arguments: [] })

const js = (body: string): [Runtime, string] => ['javascript', `function evaluate() { ${body} }`]
const py = (body: string): [Runtime, string] => ['python', `def evaluate():\n    ${body.replaceAll('\n', '\n    ')}`]

/** All rows, or in a sample the first of each runtime. */
const runs = <T extends [Runtime, ...unknown[]]>(rows: T[]): readonly T[] => firstOfEach(rows, ([runtime]) => runtime)
/** The same where TypeScript is JavaScript by the time that it runs. */
const interpreted = <T extends [Runtime, ...unknown[]]>(rows: T[]): readonly T[] =>
  firstOfEach(rows, ([runtime]) => (runtime === 'typescript' ? 'javascript' : runtime))

const TIME = /^The code (?:used more than 5 s of processor time|ran for more than 10 s)\.$/

test.concurrent.each(
  interpreted([
    js('while (true) {}'),
    js('return /(a+)+$/.test("a".repeat(60) + "b")'),
    js('const spin = () => { Promise.resolve().then(spin) }; spin(); return new Promise(() => undefined)'),
    js('return { toJSON() { for (;;) {} } }'),
    ['typescript', 'while (true as boolean) {}'],
    py('while True: pass'),
    py('while True:\n    try:\n        while True: pass\n    except BaseException: pass'),
    py('import re\nreturn bool(re.match("(a+)+$", "a" * 60 + "b"))'),
    py('return len(str(9 ** (9 ** 9)))'),
    py('import time\ntime.sleep(3600)'),
    py('import asyncio\nreturn asyncio.run(asyncio.sleep(3600))'),
  ] as [Runtime, string][]),
)('%s ends: %s', async (runtime, source) => {
  const outcome = await run(runtime, source)
  expect(outcome).toEqual({ ok: false, kind: 'time', message: expect.stringMatching(TIME) })
})

test.concurrent.each(
  runs([
    js('let text = "xy"; for (;;) text = [text, text].join("")'),
    js('const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))'),
    js('return "x".repeat(1e9)'),
    js(
      'const all = []; for (;;) { try { for (;;) all.push(new Array(1e5).fill(all)) } catch (error) { throw error } }',
    ),
    py('all = []\nwhile True: all.append("x" * 1_000_000 + str(len(all)))'),
    py('return len(bytearray(2_000_000_000))'),
    py('return len("x" * 1_000_000_000)'),
    py('return len([0] * 300_000_000)'),
  ] as [Runtime, string][]),
)('%s has no more memory: %s', async (runtime, source) => {
  const outcome = await run(runtime, source)
  expect(outcome).toMatchObject({ ok: false, kind: 'memory', message: 'The code needs more than 256 MiB of memory.' })
})

test.concurrent.each([
  [...js('return new ArrayBuffer(4_000_000_000)'), 'RangeError'],
  [...py('return "x" * 4_000_000_000'), 'OverflowError'],
] as [Runtime, string, string][])('%s: 4 GB at once is an error of the code: %s', async (runtime, source, name) => {
  expect(await run(runtime, source)).toMatchObject({
    ok: false,
    kind: 'code',
    message: expect.stringContaining(name),
  })
})

test.concurrent.each([
  js('return "x".repeat(1024 * 1024)'),
  js('return "x".repeat(50_000_000)'),
  js('return "é".repeat(600_000)'),
  py('return "x" * 1024 * 1024'),
  py('return ["é" * 600_000]'),
  py('return "x" * 50_000_000'),
] as [Runtime, string][])('%s returns too much: %s', async (runtime, source) => {
  const outcome = await run(runtime, source)
  const message = 'evaluate returned more than 1048576 bytes of JSON.'
  expect(outcome).toEqual({ ok: false, kind: 'output', message })
})

test.concurrent.each([
  js(`return "x".repeat(1024 * 1024 - 2).length`),
  js('return "x".repeat(1024 * 1024 - 2)'),
  py('return "x" * (1024 * 1024 - 2)'),
] as [Runtime, string][])('%s returns all that it may: %s', async (runtime, source) => {
  expect(await run(runtime, source)).toMatchObject({ ok: true })
})

test.concurrent.each(
  runs([
    js('return evaluate()'),
    js('const deep = n => [...[1].map(() => deep(n + 1))]; return deep(0)'),
    js('let x = []; for (let i = 0; i < 1e5; i++) x = [x]; return JSON.stringify(x).length'),
    ['typescript', `const evaluate = () => ${'('.repeat(100_000)}`],
    ['typescript', `const evaluate = (a: ${'['.repeat(50_000)}`],
    py('return evaluate()'),
    py('import sys\nsys.setrecursionlimit(10**9)\nreturn evaluate()'),
    py('x = []\nfor _ in range(100_000): x = [x]\nreturn repr(x)'),
    py('return eval("(" * 100_000)'),
  ] as [Runtime, string][]),
)('%s calls too deeply: %s', async (runtime, source) => {
  expect(await run(runtime, source)).toMatchObject({
    ok: false,
    kind: expect.stringMatching(/^(?:code|memory|syntax)$/),
  })
  expect(await run(runtime, runtime === 'python' ? py('return 1')[1] : js('return 1')[1])).toEqual({
    ok: true,
    value: 1,
  })
})
