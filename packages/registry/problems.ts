import { Problem } from '@spanhouse/model'
import { databaseProblem } from '@spanhouse/postgres'

const CODES = { unique: '23505', foreignKey: '23503', lockNotAvailable: '55P03' } as const
/** The columns that every key of the registry begins with, and that say nothing to a caller. */
const SCOPE_COLUMNS = new Set(['project_id', 'family'])

interface DriverError {
  code?: string
  constraint?: string
}

/**
 * Runs work on the registry's tables and throws what its failure means: 409 with the columns that are taken, 404 for a
 * folder that is not there, 503 when a variant stayed locked. Everything else passes.
 */
export async function withRegistryProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw problemOf(error) ?? error
  }
}

function problemOf(error: unknown): Problem | null {
  const { code, constraint } = (error ?? {}) as DriverError
  if (code === CODES.unique) return taken(error)
  if (code === CODES.foreignKey && constraint?.includes('folder'))
    return new Problem('not_found', 'The folder does not exist.')
  if (code === CODES.lockNotAvailable) return lockTimeout(error)
  return null
}

function taken(error: unknown): Problem | null {
  const detail = databaseProblem(error)?.detail
  if (typeof detail !== 'object' || Array.isArray(detail)) return null
  const columns = Object.entries((detail.conflict ?? {}) as Record<string, string>)
  const conflict = Object.fromEntries(columns.filter(([name]) => !SCOPE_COLUMNS.has(name)))
  const names = Object.keys(conflict).join(', ')
  return new Problem(
    'conflict',
    { message: `There is a record with this ${names} already.`, conflict },
    { cause: error },
  )
}

function lockTimeout(cause: unknown): Problem {
  const message = 'Another commit to this variant took too long.'
  const detail = { code: 'commit_lock_timeout', message, retryable: true, next_step: 'Send the commit again.' }
  return new Problem('overloaded', detail, { retryAfterSeconds: 1, cause })
}

/** A commit that is refused, in the form that clients tell apart by `code`. */
export function commitRefused(
  problem: 'invalid' | 'conflict' | 'unprocessable',
  code: string,
  message: string,
  more: { next_step?: string; details?: object } = {},
): Problem {
  return new Problem(problem, { code, message, retryable: false, ...more })
}
