import { type Json, type JsonObject, Problem } from '@spanhouse/model'
import { mistakeInPath, valueAtPath } from '../path.ts'

/** How placeholders are written. */
export const TEMPLATE_FORMATS = ['mustache', 'curly', 'fstring', 'jinja2'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** A rendered text is refused beyond this many UTF-16 units, and so are all texts of a call together. */
export const RENDERED_LENGTH_MAX = 8 * 1024 * 1024

/** Tags that one rendering may evaluate, repetitions of a section included. */
const TEMPLATE_STEPS_MAX = 200_000

/** A template that cannot be rendered with the values it is given. */
export class TemplateFault extends Error {}

export function missingVariables(names: readonly string[]): TemplateFault {
  const distinct = [...new Set(names)]
  const quoted = distinct.slice(0, 20).map(name => `'${name}'`)
  const more = distinct.length > 20 ? ` and ${distinct.length - 20} more` : ''
  return new TemplateFault(`Missing variables: ${quoted.join(', ')}${more}`)
}

/** The text of a template being rendered, held to {@link RENDERED_LENGTH_MAX}. */
export class Rendering {
  #steps = 0
  #length = 0
  readonly #parts: string[] = []

  add(text: string): void {
    this.#length += text.length
    if (this.#length > RENDERED_LENGTH_MAX)
      throw new TemplateFault(`The rendered text is longer than ${RENDERED_LENGTH_MAX} characters`)
    this.#parts.push(text)
  }

  /** Counts one evaluated tag. */
  step(): void {
    if (++this.#steps > TEMPLATE_STEPS_MAX)
      throw new TemplateFault(`The template repeats its sections more than ${TEMPLATE_STEPS_MAX} times`)
  }

  get text(): string {
    return this.#parts.join('')
  }
}

/**
 * The value at a path of a template, undefined if there is none. Throws a fault for a path that cannot be read or that
 * selects too much.
 */
export function valueAtTemplatePath(context: JsonObject, path: string): Json | undefined {
  const mistake = mistakeInPath(path)
  if (mistake !== null) throw new TemplateFault(`The path '${path}' ${mistake}`)
  try {
    return valueAtPath(context, path)
  } catch (error) {
    throw error instanceof Problem ? new TemplateFault(`Of '${path}': ${error.message}`) : error
  }
}

/** The value of a JSONPath tag. Throws when the path finds nothing. */
export function valueAtJsonPath(context: JsonObject, path: string): Json {
  const value = valueAtTemplatePath(context, path)
  if (value === undefined) throw new TemplateFault(`The path '${path}' matches nothing in the inputs`)
  return value
}
