import { type Configuration, isObject, type Json } from '../api/registry/registry.ts'

/**
 * A configuration as a text to compare line by line: as JSON, but texts of several lines stand as they are, below their
 * name, so that a change of a prompt or of code shows the changed line.
 */
export const readable = (configuration: Configuration): string =>
  Object.keys(configuration).length === 0 ? '' : linesOf(configuration as Json, '').join('\n')

function linesOf(value: Json, indent: string): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, index) => entry(`${index + 1}.`, item, indent))
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, item]) => entry(`${name}:`, item, indent))
  return [indent + JSON.stringify(value)]
}

function entry(label: string, value: Json, indent: string): string[] {
  const inner = `${indent}  `
  if (typeof value === 'string' && !value.includes('\n')) return [`${indent}${label} ${value}`]
  if (typeof value === 'string') return [`${indent}${label}`, ...value.split('\n').map(line => inner + line)]
  const isLeaf = value === null || typeof value !== 'object' || Object.keys(value).length === 0
  if (isLeaf) return [`${indent}${label} ${JSON.stringify(value)}`]
  return [`${indent}${label}`, ...linesOf(value, inner)]
}
