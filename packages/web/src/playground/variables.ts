import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'

/** Names that handlers provide themselves. */
const PROVIDED = new Set([
  'inputs',
  'outputs',
  'prediction',
  'ground_truth',
  'correct_answer',
  'reference',
  'trace',
  'parameters',
  'messages',
])

const DOUBLE = /\{\{([^{}\n]{1,200})\}\}/g
/** A double brace, or the name of a replacement field, which another field may contain. */
const SINGLE = /\{\{|\{([A-Za-z_][A-Za-z0-9_]{0,199})(?=[}.[!:])/g

/** The inputs that the placeholders in the parameters name, in the order in which they occur. */
export function variablesIn(parameters: JsonObject): string[] {
  const names = new Set<string>()
  visit(parameters, 'mustache', names)
  return [...names]
}

function visit(value: Json | undefined, format: string, names: Set<string>): void {
  if (typeof value === 'string') addNames(value, format, names)
  else if (Array.isArray(value)) for (const item of value) visit(item, format, names)
  else if (isObject(value)) {
    const own = typeof value.template_format === 'string' ? value.template_format : format
    for (const item of Object.values(value)) visit(item, own, names)
  }
}

function addNames(text: string, format: string, names: Set<string>): void {
  for (const [, between = ''] of format === 'fstring' ? text.matchAll(SINGLE) : text.matchAll(DOUBLE)) {
    const inside = between.trim()
    // Sections, comments and partials of mustache, and paths from the root.
    if (/^[#^/!>&$%]/.test(inside)) continue
    const name = inside.split(/[.[|\s]/, 1)[0] as string
    if (name !== '' && !PROVIDED.has(name)) names.add(name)
  }
}
