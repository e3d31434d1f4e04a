import { invalid } from '@spanhouse/model'
import type { FastifyRequest } from 'fastify'

/**
 * The ids in a query string, in which `name` may be repeated and its plural is a comma-separated list; normalised and
 * without duplicates. Undefined if there are none at all; a 400 that names the parameter if one is malformed.
 */
export function idsOf(
  request: FastifyRequest,
  name: 'trace_id' | 'span_id',
  parse: (text: string) => string | null,
): string[] | undefined {
  const query = request.query as Record<string, string | string[] | undefined>
  const single = [query[name] ?? []].flat()
  const listed = [query[`${name}s`] ?? []].flat().flatMap(list => list.split(','))
  const texts = [...single, ...listed].map(text => text.trim()).filter(text => text !== '')
  if (texts.length === 0) return undefined
  const ids = texts.map(text => {
    const id = parse(text)
    if (!id) throw invalid(`${name} is malformed: ${text.slice(0, 100)}`)
    return id
  })
  return [...new Set(ids)]
}

/** Throws a 400 if the body refers to another entity than the path. */
export function requireSameId(name: string, inPath: string, inBody: string | undefined): void {
  if (inBody !== undefined && inBody !== inPath) throw invalid(`${name}.id differs from the id in the path`)
}
