import type { Schema } from './asked.ts'

const DEPTH_MAX = 20

/** A value that fits a schema, made of the words and numbers of a text where it can be; the same for the same text. */
export function exampleOf(schema: Schema | null, text: string, name = 'answer', depth = 0): unknown {
  if (schema === null) return { answer: text }
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.find(one => text.includes(String(one))) ?? schema.enum[0]
  const [either] = schema.anyOf ?? []
  if (either) return exampleOf(either, text, name, depth)
  const type = [schema.type ?? (schema.properties ? 'object' : 'string')].flat()[0] ?? 'string'
  if (depth > DEPTH_MAX) return null
  if (type === 'object') {
    const members = Object.entries(schema.properties ?? {})
    return Object.fromEntries(members.map(([key, inner]) => [key, exampleOf(inner, text, key, depth + 1)]))
  }
  if (type === 'array') return schema.items ? [exampleOf(schema.items, text, name, depth + 1)] : []
  return SCALARS[type]?.(schema, text, name) ?? null
}

const SCALARS: Readonly<Record<string, (schema: Schema, text: string, name: string) => unknown>> = {
  boolean: (_, text) => !/\b(no|not|wrong|never)\b/i.test(text),
  integer: (schema, text) => Math.round(numberIn(schema, text)),
  number: numberIn,
  string: (_, text, name) => wordFor(name, text),
}

function numberIn({ minimum = 0, maximum = 100 }: Schema, text: string): number {
  const found = Number(/-?\d+(\.\d+)?/.exec(text)?.[0] ?? text.length % 10)
  return Math.min(Math.max(found, minimum), maximum)
}

/** A name of the text for a member that wants one, such as a city; otherwise the text. */
function wordFor(name: string, text: string): string {
  const names = text.match(/(?<=\s)\p{Lu}[\p{L}'-]+/gu) ?? []
  return /name|city|place|country|person|location/i.test(name) ? (names[0] ?? text) : text.slice(0, 200)
}
