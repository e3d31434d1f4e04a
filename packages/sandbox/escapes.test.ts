import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Json } from '@spanhouse/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CodeOutcome, openSandbox, type Runtime, type Sandbox } from './index.ts'

let sandbox: Sandbox
let server: Server
let connections = 0
beforeAll(async () => {
  sandbox = openSandbox({ processesMax: 1 })
  server = createServer(() => {
    connections++
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  await sandbox.close()
  server.close()
})

const run = (runtime: Runtime, source: string, ...values: Json[]): Promise<CodeOutcome> =>
  sandbox.run({ owner: 'intruder', runtime, source, arguments: values })

const python = (...lines: string[]): string => `def evaluate(port=0):\n    ${lines.join('\n    ')}`

describe('JavaScript', () => {
  test('has no globals of a host', async () => {
    const names = [
      'process',
      'require',
      'module',
      'global',
      'fetch',
      'WebSocket',
      'XMLHttpRequest',
      'Worker',
      'Deno',
      'Bun',
    ]
    const more = [
      'setTimeout',
      'Buffer',
      'WebAssembly',
      'SharedArrayBuffer',
      'std',
      'os',
      'scriptArgs',
      'print',
      'navigator',
    ]
    const source = 'const evaluate = names => names.filter(name => name in globalThis && name !== "SharedArrayBuffer")'
    expect(await run('javascript', source, [...names, ...more])).toEqual({ ok: true, value: [] })
  })

  test.each([
    ['this.constructor.constructor("return process")()'],
    ['(function(){}).constructor("return this")().process.env'],
    ['Math.random.constructor("return process")()'],
    ['console.log.constructor.constructor("return process")().mainModule.require("fs")'],
    ['Object.getPrototypeOf(async function(){}).constructor("return process.exit()")()'],
    ['Reflect.construct(Function, ["return process"])()'],
    ['import("node:fs")'],
    ['import("file:///etc/passwd")'],
    ['(0, eval)("process.kill(1)")'],
    ['new Error().constructor.prepareStackTrace[0].getThis()'],
    ['Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)'],
  ])('%s reaches nothing', async expression => {
    expect(await run('javascript', `const evaluate = () => ${expression}`)).toMatchObject({ ok: false })
    expect(await run('javascript', 'const evaluate = () => 1')).toEqual({ ok: true, value: 1 })
  })

  test('what is forged from prototypes and getters stays inside', async () => {
    const source = `
      const evaluate = () => {
        Object.prototype.ok = true
        Object.prototype.then = undefined
        Array.prototype.includes = () => { throw new Error('patched') }
        Error.prototype.toString = () => 'forged'
        JSON.stringify = () => 'forged'
        Promise.prototype.then = () => 'forged'
        Object.defineProperty(globalThis, '__evaluate', { get: () => 'forged' })
        throw { get stack() { return globalThis }, get message() { throw 1 }, toString() { throw 2 } }
      }`
    expect(await run('javascript', source)).toMatchObject({ ok: false })
    const clean = 'const evaluate = () => [JSON.stringify([1]), [1].includes(1), "ok" in {}, String(new Error("e"))]'
    expect(await run('javascript', clean)).toEqual({ ok: true, value: ['[1]', true, false, 'Error: e'] })
  })

  test('TypeScript has no directive that reads files', async () => {
    const source =
      '/// <reference path="/etc/passwd" />\nimport secret = require("node:fs")\nexport const evaluate = () => secret'
    expect(await run('typescript', source)).toMatchObject({ ok: false })
  })
})

describe('Python', () => {
  test.each([
    'js',
    'pyodide',
    'pyodide_js',
    'pyodide.code',
    'pyodide.ffi',
    'pyodide.http',
    '_pyodide_core',
    '_pyodide',
    'micropip',
    'ctypes',
    '_ctypes',
  ])('import %s is an ordinary ImportError', async name => {
    const outcome = await run('python', `import ${name}\ndef evaluate():\n    return 1`)
    const message = `ModuleNotFoundError: No module named '${name.split('.')[0]}'`
    expect(outcome).toEqual({ ok: false, kind: 'code', message, line: 1 })
  })

  test.each([
    ['files of the host', 'return open("/etc/hostname").read()'],
    ['the program itself', `return open(${JSON.stringify(import.meta.filename)}).read()`],
    ['a written file', 'return open("/tmp/sandbox-escape", "w").write("x")'],
    ['a written library', 'return open("/lib/python314.zip", "r+b").write(b"x")'],
    ['a path through the library', 'return open("/lib/python3.14/../../etc/passwd").read()'],
    ['a folder', 'import os; return os.mkdir("/lib/python3.14/x")'],
    ['a removed file', 'import os; return os.remove("/lib/python314.zip")'],
    ['a renamed file', 'import os; return os.rename("/lib/python314.zip", "/lib/x")'],
    ['another working folder', 'import os; return os.chdir("/lib")'],
    ['a listing', 'import os; return os.listdir("/")'],
    ['devices', 'return open("/dev/stdin").read()'],
    ['the pipe of work', 'import os; return os.read(0, 10).decode()'],
    ['the pipe of answers', 'import os; return os.write(3, b"forged")'],
    ['a pipe', 'import os; return os.pipe()'],
    ['a shell', 'import os; return os.system("touch /tmp/sandbox-escape")'],
    ['a process', 'import subprocess; return subprocess.run(["id"])'],
    ['a fork', 'import os; return os.fork()'],
    ['a signal', 'import os; return os.kill(os.getppid(), 9)'],
    ['a thread', 'import threading; return threading.Thread(target=print).start()'],
    ['an exit', 'import os; return os._exit(0)'],
    ['an abort', 'import os; return os.abort()'],
    [
      'an extension',
      'import _imp; return _imp.create_dynamic(__import__("importlib").machinery.ModuleSpec("x", None, origin="/x.so"))',
    ],
    ['a socket', 'import socket; return socket.create_connection(("127.0.0.1", port), 1).fileno()'],
    ['a request', 'import urllib.request; return urllib.request.urlopen(f"http://127.0.0.1:{port}").status'],
    ['a name', 'import socket; return socket.getaddrinfo("example.com", 80)'],
  ])('has no way to %s', async (_what, code) => {
    const { port } = server.address() as { port: number }
    expect(await run('python', python(code), port)).toMatchObject({ ok: false, kind: 'code' })
    expect(await run('python', python('return 1'))).toEqual({ ok: true, value: 1 })
    expect(existsSync('/tmp/sandbox-escape')).toBe(false)
    expect(connections).toBe(0)
  })

  test('knows neither environment nor paths of the host', async () => {
    const code =
      'import os, sys; return repr([dict(os.environ), os.getcwd(), sys.argv, sys.path, sys.executable, sys.flags])'
    const outcome = (await run('python', python(code))) as { value: string }
    expect(outcome.value).toMatch(/^\[\{\}, '\/'/)
    expect(outcome.value).not.toMatch(/node_modules|\/packages|\.ts|\/home|\/root/)
    expect(outcome.value).not.toContain(process.cwd())
  })

  test('objects of JavaScript that the interpreter still holds cannot be used', async () => {
    const code = [
      'import gc, sys',
      'found = [one for one in gc.get_objects() if "pyodide" in getattr(type(one), "__module__", "")]',
      'module = next((m for n, m in sys.modules.items() if "pyodide" in n or n == "js"), None)',
      'hidden = [f.__globals__.get("run_js") or f.__globals__.get("create_proxy") for f in gc.get_objects() if hasattr(f, "__globals__")]',
      'calls = [one for one in hidden if one]',
      'if calls: calls[0]("globalThis.process.exit(0)")',
      'return [str(module), len(calls)]',
    ]
    const outcome = await run('python', python(...code))
    if (outcome.ok) expect(outcome.value).toEqual(['None', 0])
    else expect(outcome.kind).toBe('code')
    expect(await run('python', python('return 1'))).toEqual({ ok: true, value: 1 })
  })

  test.each([
    ['no JSON', 'main.encode = lambda value: "{"', 'result'],
    ['nested far too deeply', 'main.encode = lambda value: "[" * 100_000 + "]" * 100_000', 'result'],
    ['a number that takes long to read', 'main.encode = lambda value: "9" * 1_000_000', 'result'],
    [
      'a failure of another kind',
      'main.encode = lambda value: "1,\\"ok\\":false,\\"kind\\":\\"root\\",\\"message\\":{}"',
      'result',
    ],
    ['a value after a value', 'main.encode = lambda value: "1,\\"ok\\":7,\\"value\\":1"', 'result'],
    ['too long', 'main.LIMITS["outputBytesMax"] = 10**9; main.encode = lambda value: "1" * 5_000_000', 'output'],
  ])('an outcome that is forged is a failure: %s', async (_what, patch, kind) => {
    const code = ['import sys', 'main = sys.modules["__main__"]', patch, 'return 1']
    expect(await run('python', python(...code))).toMatchObject({ ok: false, kind, message: expect.any(String) })
    expect(await run('python', python('return 1'))).toEqual({ ok: true, value: 1 })
  })

  test('raw memory and forged bytecode stay inside', async () => {
    const code = [
      'def template(): pass',
      'code = template.__code__',
      'forged = code.replace(co_code=bytes([101, 255] * 40), co_consts=(), co_names=(), co_stacksize=1)',
      'return (lambda: None).__class__(forged, {})()',
    ]
    await run('python', python(...code)).catch(() => undefined)
    expect(await run('python', python('return 1'))).toEqual({ ok: true, value: 1 })
  })
})

describe('nothing of a run is left in the next, whoever the owner is', () => {
  const as = (owner: string, runtime: Runtime, source: string): Promise<CodeOutcome> =>
    sandbox.run({ owner, runtime, source, arguments: [] })

  test('JavaScript', async () => {
    await as(
      'one',
      'javascript',
      'globalThis.secret = "s"; Math.max = () => "s"; String.prototype.trim = () => "s"\nconst evaluate = () => 1',
    )
    const source = 'const evaluate = () => [typeof secret, Math.max(1, 2), " a ".trim(), Object.keys(globalThis)]'
    for (const owner of ['one', 'two'])
      expect(await as(owner, 'javascript', source)).toEqual({
        ok: true,
        value: ['undefined', 2, 'a', expect.not.arrayContaining(['secret'])],
      })
  })

  test('Python: modules, builtins, caches, types, threads’ locals, environment', async () => {
    const dirty = `
import builtins, collections, contextvars, functools, gc, json, os, re, sys, threading, decimal, random, warnings, codecs
json.dumps = lambda *a, **k: "s"
json.encoder.JSONEncoder.encode = lambda *a: '"s"'
builtins.len = lambda x: "s"
builtins.secret = "s"
sys.modules["secret"] = sys
sys.path.insert(0, "s")
sys.meta_path.clear()
sys.setrecursionlimit(50_000)
os.environ["SECRET"] = "s"
decimal.getcontext().prec = 3
random.seed(1)
gc.disable()
re.compile("secret")
collections.secret = threading.local()
class Evil: pass
def evaluate():
    kept = open("/lib/python314.zip", "rb")
    builtins.kept = kept
    return 1`
    await as('one', 'python', dirty)
    const source = `
import builtins, collections, decimal, gc, json, os, re, sys
def evaluate():
    return [json.dumps([1]), len([1, 2]), hasattr(builtins, "secret"), "secret" in sys.modules, "s" in sys.path, len(sys.meta_path) > 0,
      sys.getrecursionlimit() < 50_000, dict(os.environ), decimal.getcontext().prec, gc.isenabled(), hasattr(collections, "secret"),
      any(one.__name__ == "Evil" for one in object.__subclasses__()), os.open("/lib/python314.zip", os.O_RDONLY)]`
    const first = await as('two', 'python', source)
    expect(first).toEqual({
      ok: true,
      value: ['[1]', 2, false, false, false, true, true, {}, 28, true, false, false, expect.any(Number)],
    })
    // The descriptor is the same, so the file that the first run has left open is closed.
    expect(await as('one', 'python', source)).toEqual(first)
  })

  test('Python: text that the first run has held is nowhere in memory', async () => {
    const secret = 'a secret that is long enough to be found'
    await as(
      'one',
      'python',
      `held = ${JSON.stringify(secret)} * 1000\ndef evaluate():\n    import sys; sys.intern(held); return 1`,
    )
    const source = `
import gc, sys
def evaluate():
    part = "long enough " + "to be found"
    return [any(part in str(one) for one in gc.get_objects() if isinstance(one, (str, list, dict)) and one is not part and len(one) < 10_000),
      any(part in name for name in sys.modules)]`
    expect(await as('two', 'python', source)).toEqual({ ok: true, value: [false, false] })
  })
})
