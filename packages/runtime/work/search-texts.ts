import { toRegExp } from './pattern/python-pattern.ts'

/** A pattern of Python's `re`. */
export interface Pattern {
  source: string
  ignoreCase: boolean
}

/** Patterns that are kept ready; the one that was used longest ago goes first. */
const KEPT_MAX = 128
const kept = new Map<string, RegExp>()

/** Whether the pattern is found in each of the texts. May take for ever. Throws a PatternError. */
export function searchTexts(pattern: Pattern, texts: readonly string[]): boolean[] {
  const expression = regExpOf(pattern)
  return texts.map(text => expression.test(text))
}

function regExpOf({ source, ignoreCase }: Pattern): RegExp {
  const name = `${ignoreCase ? 'i' : '-'}${source}`
  const found = kept.get(name) ?? toRegExp(source, ignoreCase)
  kept.delete(name)
  kept.set(name, found)
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string)
  return found
}
