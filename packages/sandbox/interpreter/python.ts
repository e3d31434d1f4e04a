import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadPyodide, type PyodideAPI } from 'pyodide'
import { SANDBOX_LIMITS } from '../limits.ts'
import { engineFailure, failure, type Interpreter, type Work } from './interpreter.ts'
import { MemoryImage } from './memory-image.ts'
import { DeniedError, ImportWall } from './python-wall.ts'

/** Replacing the process takes two seconds; restoring so much, 5 ms. */
const RETAINED_BYTES_MAX = 128 * 1024 * 1024

/** CPython's own functions. Addresses are numbers. */
interface CPython {
  memory: WebAssembly.Memory
  __stack_pointer: WebAssembly.Global
  PyImport_AddModule(name: number): number
  PyObject_GetAttrString(object: number, name: number): number
  PyObject_CallOneArg(callable: number, argument: number): number
  PyBytes_FromStringAndSize(bytes: number, length: number): number
  PyBytes_AsString(bytes: number): number
  PyBytes_Size(bytes: number): number
}

/** CPython in WebAssembly (Pyodide). */
export async function openPython(): Promise<Interpreter> {
  const wall = new ImportWall()
  const { pyodide, python } = await load(wall)
  pyodide.globals.set('LIMITS_JSON', JSON.stringify(SANDBOX_LIMITS))
  pyodide.runPython(await readFile(new URL('./runner.py', import.meta.url), 'utf8'), { filename: 'runner.py' })
  const run = functionOf(python, 'run')
  wall.close()
  return new Python(python, run, pyodide.FS.streams)
}

/**
 * Loads Pyodide with all its instances behind the wall: the interpreter itself, and the small ones that make a function of
 * JavaScript one that has an address.
 */
async function load(wall: ImportWall): Promise<{ pyodide: PyodideAPI; python: CPython }> {
  const { instantiate, Instance } = WebAssembly
  const found: { instance?: WebAssembly.Instance } = {}
  const python = (): CPython => found.instance?.exports as unknown as CPython
  const memory = (): WebAssembly.Memory => python().memory
  WebAssembly.instantiate = async (source, imports) => {
    const result = await instantiate(source, imports && wall.behind(imports, memory))
    if (imports?.wasi_snapshot_preview1) found.instance = result.instance
    return result
  }
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports && wall.behind(imports, memory))
    }
  }
  // Asked for the numbers of flags of files; the permissions of the process forbid the real one.
  Object.assign(process, { binding: () => ({ fs: constants }) })
  const silent = (): undefined => undefined
  const pyodide = await loadPyodide({
    jsglobals: Object.create(null) as object,
    _sysExecutable: 'python',
    env: { HOME: '/', TZ: 'UTC' },
    stdin: () => null,
    stdout: silent,
    stderr: silent,
  })
  return { pyodide, python: python() }
}

/** The address of a function of `__main__`. */
function functionOf(python: CPython, name: string): number {
  const main = python.PyImport_AddModule(newText(python, '__main__'))
  return python.PyObject_GetAttrString(main, newText(python, name))
}

/** A C string that Python owns. It is never released. */
const newText = (python: CPython, text: string): number => python.PyBytes_AsString(newBytes(python, Buffer.from(text)))

function newBytes(python: CPython, bytes: Buffer): number {
  const object = python.PyBytes_FromStringAndSize(0, bytes.length)
  if (object !== 0) Buffer.from(python.memory.buffer).set(bytes, python.PyBytes_AsString(object) >>> 0)
  return object
}

/**
 * The state of the instance is its memory and the stack pointer. It also has tables of JavaScript's objects with three
 * counters, which change only with objects that pass the wall, so never. Outside of it are Emscripten's open files.
 */
class Python implements Interpreter {
  readonly #python: CPython
  readonly #run: number
  readonly #image: MemoryImage
  readonly #stackPointer: number
  readonly #files: unknown[]
  readonly #filesBefore: readonly unknown[]

  constructor(python: CPython, run: number, files: unknown[]) {
    this.#python = python
    this.#run = run
    this.#files = files
    this.#filesBefore = [...files]
    this.#stackPointer = python.__stack_pointer.value
    this.#image = new MemoryImage(python.memory, { bytesMax: RETAINED_BYTES_MAX })
  }

  run(work: Work): Buffer {
    try {
      return this.#call(Buffer.from(JSON.stringify(work)))
    } catch (error) {
      if (error instanceof DeniedError) return failure('code', 'The code uses what the sandbox does not have.')
      return engineFailure(error)
    }
  }

  async reset(): Promise<boolean> {
    this.#files.splice(0, Number.POSITIVE_INFINITY, ...this.#filesBefore)
    this.#python.__stack_pointer.value = this.#stackPointer
    return this.#image.restore()
  }

  #call(work: Buffer): Buffer {
    const python = this.#python
    const argument = newBytes(python, work)
    const result = argument && python.PyObject_CallOneArg(this.#run, argument)
    if (!result) return OUT_OF_MEMORY
    const start = python.PyBytes_AsString(result) >>> 0
    return Buffer.from(Buffer.from(python.memory.buffer, start, python.PyBytes_Size(result)))
  }
}

/** The runner fails only when it has no memory left to say so. */
const OUT_OF_MEMORY = failure(
  'memory',
  `The code needs more than ${SANDBOX_LIMITS.memoryBytesMax / 1024 / 1024} MiB of memory.`,
)
