import { SANDBOX_LIMITS } from '../limits.ts'

/** The name of the author's source in stack traces. */
export const JAVASCRIPT_FILE = 'evaluate.js'

/** Appended to the author's source, as a script or a module: makes its `evaluate` reachable. */
export const PUBLISH = '\n;globalThis.__evaluate = typeof evaluate === "undefined" ? undefined : evaluate'

const { outputBytesMax, outputLevelsMax, messageLengthMax, memoryBytesMax } = SANDBOX_LIMITS

/**
 * Evaluated inside QuickJS before any author's code; its value holds the functions that the host calls. They save what
 * they need from the globals at that point, so an author who replaces globals affects only their own code.
 */
export const JAVASCRIPT_RUNNER = String.raw`(random => {
  'use strict'
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { isFinite } = Number
  const { keys } = Object
  const text = String
  const AnyError = Error
  const NoSyntax = SyntaxError
  const position = /evaluate\.js:(\d+)/
  let outcome

  Math.random = () => random()
  const silent = () => undefined
  globalThis.console = { log: silent, info: silent, warn: silent, error: silent, debug: silent, trace: silent }

  class ResultError extends AnyError {}

  const refuse = (value, path, why = nameOf(value)) => {
    throw new ResultError('evaluate returned ' + why + (path === '' ? '' : ' at ' + path) + ', which is not JSON.')
  }

  const nameOf = value => {
    if (value === undefined || typeof value === 'number') return text(value)
    return typeof value === 'object' ? 'an object of class ' + value.constructor?.name : 'a ' + typeof value
  }

  const isOpaque = value => value instanceof Map || value instanceof Set || value instanceof WeakMap ||
    value instanceof WeakSet || value instanceof WeakRef || value instanceof Promise || value instanceof RegExp ||
    value instanceof ArrayBuffer || ArrayBuffer.isView(value)

  /** The value as JSON represents it. Like JSON.stringify, it calls toJSON and omits undefined members. */
  const toJson = (value, path, above) => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return isFinite(value) ? value : refuse(value, path)
    if (typeof value !== 'object' || isOpaque(value)) return refuse(value, path)
    if (above.includes(value)) refuse(value, path, 'a cycle')
    if (above.length >= ${outputLevelsMax}) refuse(value, '', 'more than ${outputLevelsMax} levels')
    const inside = [...above, value]
    if (typeof value.toJSON === 'function') return toJson(value.toJSON(), path, inside)
    if (isArray(value)) return value.map((one, index) => toJson(one, path + '[' + index + ']', inside))
    if (value instanceof Number || value instanceof String || value instanceof Boolean)
      return toJson(value.valueOf(), path, inside)
    return membersToJson(value, path, inside)
  }

  const membersToJson = (value, path, inside) => {
    const copy = { __proto__: null }
    for (const key of keys(value)) {
      const member = value[key]
      if (member !== undefined) copy[key] = toJson(member, path + '.' + key, inside)
    }
    return copy
  }

  const fail = (kind, message, line) =>
    stringify({ ok: false, kind, message: text(message).slice(0, ${messageLengthMax}), line })

  /** While the source is evaluated, before the call, an error can also be that it does not parse. */
  const described = (error, isCalled) => {
    if (error instanceof ResultError) return fail('result', error.message)
    if (!(error instanceof AnyError)) return fail('code', 'Uncaught ' + uncaught(error))
    const [, digits] = position.exec(text(error.stack)) ?? []
    const line = digits && +digits
    if (error.name === 'InternalError' && error.message === 'out of memory')
      return fail('memory', 'The code needs more than ${memoryBytesMax / 1024 / 1024} MiB of memory.', line)
    return fail(isCalled || !(error instanceof NoSyntax) ? 'code' : 'syntax', error.name + ': ' + error.message, line)
  }

  const uncaught = error => (typeof error === 'object' && stringify(error)) || text(error)

  /** What was thrown is the author's, and may throw when it is looked at. */
  const describe = (error, isCalled) => {
    try {
      return described(error, isCalled)
    } catch {
      return fail('code', 'The code threw something that cannot be shown.')
    }
  }

  const evaluated = async (evaluate, argumentsText) => {
    const value = stringify(toJson(await evaluate(...parse(argumentsText)), '', []))
    if (value.length > ${outputBytesMax}) return fail('output', 'evaluate returned more than ${outputBytesMax} bytes of JSON.')
    return '{"ok":true,"value":' + value + '}'
  }

  return {
    /** Calls the published function, or the default export of the module that a promise resolves to. */
    call: async (loaded, argumentsText) => {
      try {
        const module = await loaded
        const evaluate = globalThis.__evaluate ?? module?.default
        outcome = typeof evaluate === 'function' ? undefined : fail('no_function', 'The code does not define a function evaluate.')
        outcome ??= await evaluated(evaluate, argumentsText)
      } catch (error) {
        outcome = describe(error, true)
      }
    },
    /** Undefined while evaluate waits for a promise that never settles. */
    outcome: () => outcome,
    describe: error => describe(error, false),
  }
})`
