import { Problem } from '@spanhouse/model'
import { databaseProblem } from '@spanhouse/postgres'

const CODES = { unique: '23505', foreignKey: '23503', lockNotAvailable: '55P03' } as const
/** The column that keys of the registry begin with, which means nothing to a caller. */
const SCOPE_COLUMN = 'family'

interface DriverError {
  code?: string
  constraint?: string
}

/**
 * Runs work on the registry's tables and translates its failures: 409 with the conflicting columns, 404 for a folder
 * that does not exist, 503 when a variant stayed locked. Other errors are rethrown.
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
  const conflict = Object.fromEntries(columns.filter(([name]) => name !== SCOPE_COLUMN))
  const names = Object.keys(conflict).join(', ')
  return new Problem('conflict', { message: `An entry with this ${names} already exists.`, conflict }, { cause: error })
}

function lockTimeout(cause: unknown): Problem {
  const message = 'Another commit to this variant took too long.'
  const detail = { code: 'commit_lock_timeout', message, retryable: true, next_step: 'Send the commit again.' }
  return new Problem('overloaded', detail, { retryAfterSeconds: 1, cause })
}

/** A rejected commit, in the form that clients distinguish by `code`. */
export function commitRefused(
  problem: 'invalid' | 'conflict' | 'unprocessable',
  code: string,
  message: string,
  more: { next_step?: string; details?: object } = {},
): Problem {
  return new Problem(problem, { code, message, retryable: false, ...more })
}
