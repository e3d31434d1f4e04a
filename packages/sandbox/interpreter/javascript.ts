import { webcrypto } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { EvalFlags, JSException, type JSValueHandle, MAX_STACK_SIZE, QuickJS } from 'quickjs-wasi'
import { SANDBOX_LIMITS } from '../limits.ts'
import type { CodeFailure } from '../outcome.ts'
import { engineFailure, failure, type Interpreter, type Work } from './interpreter.ts'
import { JAVASCRIPT_FILE, JAVASCRIPT_RUNNER, PUBLISH } from './javascript-runner.ts'
import { MemoryImage } from './memory-image.ts'
import { SourceError, type Stripped, stripTypes } from './typescript.ts'

/** A new instance takes 1.3 ms; restoring one that has grown more than this takes longer. */
const RETAINED_BYTES_MAX = 16 * 1024 * 1024

/** QuickJS in WebAssembly, for JavaScript and TypeScript. */
export async function openJavaScript(): Promise<Interpreter> {
  const module = await WebAssembly.compile(await readFile(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))))
  // Loads the compiler of TypeScript ahead.
  stripTypes('const one: number = 1')
  return new JavaScript(module, await Machine.create(module))
}

class JavaScript implements Interpreter {
  readonly #module: WebAssembly.Module
  #machine: Machine
  #isCompilerBroken = false

  constructor(module: WebAssembly.Module, machine: Machine) {
    this.#module = module
    this.#machine = machine
  }

  run({ runtime, source, arguments: argumentsText }: Work): Buffer {
    try {
      const { code, lineOf } = runtime === 'typescript' ? stripTypes(source) : asIs(source)
      return withSourceLine(this.#machine.run(code, argumentsText), lineOf)
    } catch (error) {
      if (error instanceof SourceError) return failure('syntax', error.message, error.line)
      // A source that is nested too deeply leaves it in a state in which it compiles nothing any more.
      this.#isCompilerBroken = true
      return failure('syntax', 'The source is nested too deeply.')
    }
  }

  async reset(): Promise<boolean> {
    if (!this.#machine.reset()) this.#machine = await Machine.create(this.#module)
    return !this.#isCompilerBroken
  }
}

/**
 * One WebAssembly instance of QuickJS. Its state is its memory and one global, the stack pointer, which is what it was
 * whenever a call has returned; after a call that has trapped the instance is not used again.
 */
class Machine {
  readonly #vm: QuickJS
  readonly #call: JSValueHandle
  readonly #takeOutcome: JSValueHandle
  readonly #describe: JSValueHandle
  readonly #image: MemoryImage
  #trapped = false

  static async create(module: WebAssembly.Module): Promise<Machine> {
    const found: { memory?: WebAssembly.Memory } = {}
    const vm = await QuickJS.create({
      wasm: module,
      memoryLimit: SANDBOX_LIMITS.memoryBytesMax,
      maxStackSize: MAX_STACK_SIZE,
      timezoneOffset: 0,
      wasi: own => {
        found.memory = own
        return { fd_write: () => BAD_FILE_DESCRIPTOR }
      },
    })
    return new Machine(vm, found.memory as WebAssembly.Memory)
  }

  private constructor(vm: QuickJS, memory: WebAssembly.Memory) {
    this.#vm = vm
    // QuickJS seeds its own when it starts, which for all runs is the same moment.
    const random = vm.newFunction('random', () => vm.newNumber(randomNumber()))
    const runner = vm.callFunction(vm.evalCode(JAVASCRIPT_RUNNER, 'runner.js'), vm.undefined, random)
    this.#call = runner.getProp('call')
    this.#takeOutcome = runner.getProp('outcome')
    this.#describe = runner.getProp('describe')
    this.#image = new MemoryImage(memory, { bytesMax: RETAINED_BYTES_MAX })
  }

  /** The JSON text of an outcome. */
  run(code: string, argumentsText: string): string {
    try {
      return this.#outcome(code, argumentsText)
    } catch (error) {
      this.#trapped = true
      return engineFailure(error).toString()
    }
  }

  /** False when a run has left it in a state that cannot be restored. */
  reset(): boolean {
    return !this.#trapped && this.#image.restore()
  }

  #outcome(code: string, argumentsText: string): string {
    const vm = this.#vm
    try {
      vm.callFunction(this.#call, vm.undefined, this.#load(code), vm.newString(argumentsText))
    } catch (error) {
      if (!(error instanceof JSException)) throw error
      return vm.callFunction(this.#describe, vm.undefined, error.handle).toString()
    }
    vm.executePendingJobs()
    const outcome = vm.callFunction(this.#takeOutcome, vm.undefined)
    return outcome.isUndefined ? NEVER_SETTLES : outcome.toString()
  }

  /**
   * As a script, or as a module when it does not parse as one. What a script throws while it is read, and a module as the
   * rejection of the promise that it returns, is the author's error.
   */
  #load(code: string): JSValueHandle {
    try {
      return this.#vm.evalCode(code + PUBLISH, JAVASCRIPT_FILE)
    } catch (error) {
      if (!(error instanceof JSException && error.name === 'SyntaxError' && MODULE_WORDS.test(code))) throw error
      return this.#vm.evalCode(code + PUBLISH, JAVASCRIPT_FILE, EvalFlags.TYPE_MODULE)
    }
  }
}

const MODULE_WORDS = /\b(?:export|import|await)\b/
const BAD_FILE_DESCRIPTOR = 8
const NEVER_SETTLES = failure('code', 'evaluate waits for a promise that never settles.').toString()

const asIs = (code: string): Stripped => ({ code, lineOf: line => line })

const VALUE = '{"ok":true,"value":'

/** The runner has counted characters. */
function bounded(outcome: Buffer): Buffer {
  const { outputBytesMax } = SANDBOX_LIMITS
  if (outcome.length - VALUE.length - 1 <= outputBytesMax) return outcome
  return failure('output', `evaluate returned more than ${outputBytesMax} bytes of JSON.`)
}

function withSourceLine(text: string, lineOf: Stripped['lineOf']): Buffer {
  if (text.startsWith(VALUE)) return bounded(Buffer.from(text))
  const { kind, message, line } = JSON.parse(text) as CodeFailure
  return failure(kind, message, line === undefined ? undefined : lineOf(line))
}

/** 53 random bits, from 0 to below 1. */
function randomNumber(): number {
  const [high = 0, low = 0] = webcrypto.getRandomValues(new Uint32Array(2))
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
}
