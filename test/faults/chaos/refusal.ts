import type { Answer } from '../../harness.ts'

/** That a project has so many requests in progress, that a part is away, or that it took too long. */
const REFUSALS = new Set([429, 503, 504])

/** What is wrong with an answer that is no success: it must say why, and when to ask again. Undefined if nothing is. */
export function faultOfRefusal({ status, headers, body, text }: Answer): string | undefined {
  if (!REFUSALS.has(status) || typeof body?.detail !== 'string') return `${status} ${text.slice(0, 500)}`
  return status === 504 || /^\d+$/.test(headers.get('retry-after') ?? '') ? undefined : `${status} without Retry-After`
}
