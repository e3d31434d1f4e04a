import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isJsonObject, isRawJson, type Json, type JsonObject, parseJson } from '@spanhouse/model'
import { Environment, initSync } from 'minijinja-js/dist/web/minijinja_js.js'
import { jinjaInt } from './jinja-int.ts'
import { jinjaTags, withIndexes } from './jinja-tags.ts'
import { MemberOrders } from './member-orders.ts'
import { RENDERED_LENGTH_MAX, TemplateFault, valueAtJsonPath } from './template.ts'
import { textForm } from './text-form.ts'
import { withMemoryMax } from './wasm-memory.ts'

/** Instructions of the engine that one rendering may use; a loop of a million turns takes about three a turn. */
const FUEL = 1_000_000

/** 128 MiB in WebAssembly's pages of 64 KiB. */
const MEMORY_PAGES_MAX = 2_048

/** Names that we add to a template's variables. */
const PATH_VARIABLE = '_spanhouse_path_'
const PRINT_MACRO = '_spanhouse_print'
const PRINT_FILTER = '_spanhouse_printed'

let environment: Environment | undefined

/** The engine renders nothing any more. */
export class EngineBroken extends Error {
  /** By which it is recognised outside its thread. */
  readonly code = 'ENGINE_BROKEN'
  /** Whether it is the template that went beyond the engine's memory or stack. */
  readonly isExhausted: boolean

  constructor(panic: string | undefined, cause: unknown) {
    super(`the Jinja engine has failed: ${panic}`, { cause })
    this.isExhausted = panic === undefined
  }
}

/**
 * Jinja2 in the dialect of MiniJinja, an engine in WebAssembly with limits on instructions and memory. It may still use
 * all its memory and a second: run it in a thread that can be ended. A template that goes over the memory or the stack,
 * or that the engine fails to compute, as a division by zero in `divisibleby`, leaves the engine unusable; then
 * {@link EngineBroken} is thrown, and the thread must end.
 *
 * `{{ $.a.b }}` is a JSONPath into the context, and values are printed as in all formats. Loops over an object go by
 * the names of its members: the engine does not keep their order.
 */
export function renderJinja(template: string, context: JsonObject): string {
  if (template.includes('\0')) throw new TemplateFault('The template contains a NUL character')
  const paths: Json[] = []
  const source = jinjaTags(template)
    .map(tag => {
      if (tag.kind === 'statement') return withIndexes(tag.text)
      if (tag.kind !== 'expression' || tag.expression === '') return tag.text
      const expression = tag.expression.startsWith('$')
        ? `${PATH_VARIABLE}${paths.push(valueAtJsonPath(context, tag.expression)) - 1}`
        : withIndexes(tag.expression)
      return `${tag.open}${PRINT_MACRO}((${expression}))${tag.close}`
    })
    .join('')
  const variables = Object.fromEntries(paths.map((value, place) => [`${PATH_VARIABLE}${place}`, value]))
  const values = plain({ ...context, ...variables })
  return render(`${PRINT}${source}`, values)
}

/**
 * The engine prints `none`, and JSON without spaces and sorted by name, in its own way. So what is not a scalar is
 * printed by {@link Printing}, at once: a template can take what was printed and change it.
 */
const PRINT =
  `{%- macro ${PRINT_MACRO}(value) -%}` +
  '{%- if value is none -%} null {%- elif value is string or value is number or value is boolean -%} {{ value }}' +
  `{%- elif value is defined -%} {{ value|tojson|${PRINT_FILTER} }} {%- endif -%}{%- endmacro -%}`

/** Prints the objects and lists of one rendering, with the members of the context's in their own order. */
class Printing {
  readonly #context: JsonObject
  #orders: MemberOrders | undefined
  hasFailed = false

  constructor(context: JsonObject) {
    this.#context = context
  }

  /** It must not throw: that breaks the engine, which calls it. */
  print(json: string): string {
    try {
      this.#orders ??= new MemberOrders(this.#context)
      return textForm(this.#orders.ordered(parseJson(json)))
    } catch {
      this.hasFailed = true
      return ''
    }
  }
}

let printing = new Printing({})

/** Integers beyond a JavaScript number as their digits: the engine does not know `RawJson`. */
function plain<Value extends Json>(value: Value): Value {
  if (isRawJson(value)) return value.rawJSON as Value
  if (Array.isArray(value)) return value.map(plain) as Value
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)])) as Value
}

function render(source: string, context: JsonObject): string {
  environment ??= openEnvironment()
  printing = new Printing(context)
  let text: string
  const panics = new Panics()
  try {
    text = environment.renderStr(source, context)
  } catch (error) {
    if (isEngines(error)) throw new EngineBroken(panics.first, error)
    throw new TemplateFault(plainMessage(error instanceof Error ? error.message : String(error)))
  } finally {
    panics.restore()
  }
  if (printing.hasFailed) throw new TemplateFault('A value cannot be printed')
  if (text.length > RENDERED_LENGTH_MAX)
    throw new TemplateFault(`The rendered text is longer than ${RENDERED_LENGTH_MAX} characters`)
  return text
}

/** Takes what the engine would write to the console before it fails, while nothing else runs. */
class Panics {
  first: string | undefined
  readonly #write = console.error

  constructor() {
    console.error = (text: unknown) => {
      // `panicked at FILE:LINE:COLUMN:`, the reason, and a stack.
      this.first ??= String(text).split('\n')[1]
    }
  }

  restore(): void {
    console.error = this.#write
  }
}

/** Whether it is WebAssembly itself that has failed, where the engine could not release what it holds. */
const isEngines = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')

function openEnvironment(): Environment {
  const glue = import.meta.resolve('minijinja-js/dist/web/minijinja_js.js')
  const module = readFileSync(fileURLToPath(new URL('minijinja_js_bg.wasm', glue)))
  initSync({ module: withMemoryMax(module, MEMORY_PAGES_MAX) })
  const opened = new Environment()
  opened.fuel = FUEL
  opened.undefinedBehavior = 'chainable'
  opened.enablePyCompat()
  opened.removeGlobal('debug')
  opened.addFilter('int', jinjaInt)
  opened.addFilter(PRINT_FILTER, (json: unknown) => printing.print(String(json)))
  reportPanics(opened)
  return opened
}

/** The engine says why it has failed only after its first error. */
function reportPanics(opened: Environment): void {
  try {
    opened.renderStr('{{', {})
  } catch {
    // It is not a template.
  }
}

/** Without the listing of the source and what we put into it. */
function plainMessage(message: string): string {
  const [first = ''] = message.split('\n')
  return first
    .replace(/ \(in <string>:(\d+)\)$/, ' (line $1)')
    .replace(/(?:engine )?ran out of fuel/, 'the template runs too many steps')
}
