import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import { misfit, missing } from '../run-error.ts'

/** How the results of several matchers are combined. */
export interface Aggregation {
  score: 'weighted' | 'min' | 'max'
  success: 'all' | 'any' | 'threshold'
  /** The minimum score for success; 1 if not set. */
  threshold: number
}

/** A matcher: a comparison, or a parent that combines others (contract of the runtime, section 6). */
export interface MatchNode extends Aggregation {
  /** The name of its result. */
  key: string
  weight: number
  /** A matcher with children compares nothing itself. */
  children: readonly MatchNode[]
  comparison: Comparison | undefined
}

/** What a matcher without children compares. `comparisons.ts` knows the kinds. */
export interface Comparison {
  /** A path into inputs, outputs and trace. */
  target: string
  mode: 'text' | 'json'
  match: string
  /** Literals, and texts that are paths. */
  references: readonly Json[]
  contains: 'all' | 'any'
  isCaseSensitive: boolean
  similarity: string
  diff: string
  /** The minimum similarity or agreement for success. */
  threshold: number
}

/** Members of the whole result, and of a parent's, beside which the results of matchers stand under their keys. */
const OF_ROOT = new Set(['score', 'success'])
const OF_PARENT = new Set([...OF_ROOT, 'error'])

/**
 * Parses a list of matchers, whose keys are unique and not `reserved`. Throws a 400 RunError that names the wrong
 * member, such as `matchers[1].key`.
 */
export function matchNodes(list: Json, path: string, reserved: ReadonlySet<string> = OF_ROOT): MatchNode[] {
  if (!Array.isArray(list)) throw misfit('parameter', path, 'a list of matchers', list)
  const keys = new Set<string>()
  return list.map((one, at) => {
    const place = `${path}[${at}]`
    const node = matchNode(one, place)
    if (reserved.has(node.key))
      throw misfit('parameter', `${place}.key`, `a key other than ${[...reserved].join(', ')}`, node.key)
    if (keys.has(node.key)) throw misfit('parameter', `${place}.key`, 'a unique key', node.key)
    keys.add(node.key)
    return node
  })
}

/** Parses how an object combines its matchers. Throws a 400 RunError. `place` is empty for the whole configuration. */
export const aggregationOf = (object: JsonObject, place: string): Aggregation => ({
  score: read(object, place, SCORE),
  success: read(object, place, SUCCESS),
  threshold: read(object, place, THRESHOLD),
})

function matchNode(value: Json, place: string): MatchNode {
  if (!isJsonObject(value)) throw misfit('parameter', place, 'an object', value)
  const children = matchNodes(value.matchers ?? [], `${place}.matchers`, OF_PARENT)
  return {
    ...aggregationOf(value, place),
    key: read(value, place, KEY),
    weight: read(value, place, WEIGHT),
    children,
    comparison: children.length === 0 ? comparisonOf(value, place) : undefined,
  }
}

const comparisonOf = (node: JsonObject, place: string): Comparison => ({
  target: read(node, place, TARGET),
  mode: read(node, place, MODE),
  match: read(node, place, MATCH),
  references: [...present(node.reference), ...read(node, place, REFERENCES)],
  contains: read(node, place, CONTAINS),
  isCaseSensitive: read(node, place, CASE_SENSITIVE),
  similarity: read(node, place, SIMILARITY),
  diff: read(node, place, DIFF),
  threshold: read(node, place, THRESHOLD),
})

const present = (value: Json | undefined): Json[] => (value === undefined || value === null ? [] : [value])

/** Reads a member of a matcher. If it is absent or null, returns the fallback, or throws if there is none. */
interface Member<T> {
  name: string
  expected: string
  parse(value: Json): T | undefined
  fallback?: T
}

function read<T>(object: JsonObject, place: string, { name, expected, parse, fallback }: Member<T>): T {
  const path = place === '' ? name : `${place}.${name}`
  const value = object[name] ?? undefined
  if (value === undefined && fallback !== undefined) return fallback
  if (value === undefined) throw missing('parameter', path)
  const parsed = parse(value)
  if (parsed === undefined) throw misfit('parameter', path, expected, value)
  return parsed
}

const asText = (value: Json): string | undefined => (typeof value === 'string' ? value : undefined)
const asBoolean = (value: Json): boolean | undefined => (typeof value === 'boolean' ? value : undefined)
const asList = (value: Json): Json[] | undefined => (Array.isArray(value) ? value : undefined)
const asShare = (value: Json): number | undefined => {
  const number = numberOf(value)
  return number !== undefined && number >= 0 && number <= 1 ? number : undefined
}

const text = (name: string, fallback?: string): Member<string> => ({
  name,
  expected: 'a string',
  parse: asText,
  ...(fallback === undefined ? {} : { fallback }),
})

const choice = <T extends string>(name: string, choices: readonly [T, ...T[]]): Member<T> => ({
  name,
  expected: `one of ${choices.join(', ')}`,
  parse: value => choices.find(one => one === value),
  fallback: choices[0],
})

const KEY = text('key', '')
const TARGET = text('target')
const MATCH = text('match', 'valid')
const SIMILARITY = text('similarity', 'jaccard')
const DIFF = text('diff', 'full')
const MODE = choice('mode', ['text', 'json'])
const CONTAINS = choice('contains', ['all', 'any'])
const SCORE = choice('score', ['weighted', 'min', 'max'])
const SUCCESS = choice('success', ['threshold', 'all', 'any'])
const WEIGHT: Member<number> = { name: 'weight', expected: 'a number', parse: numberOf, fallback: 1 }
const THRESHOLD: Member<number> = { name: 'threshold', expected: 'a number of 0 to 1', parse: asShare, fallback: 1 }
const CASE_SENSITIVE: Member<boolean> = {
  name: 'case_sensitive',
  expected: 'true or false',
  parse: asBoolean,
  fallback: true,
}
const REFERENCES: Member<readonly Json[]> = { name: 'references', expected: 'a list', parse: asList, fallback: [] }
