import { Problem } from '@spanhouse/model'

/** How long a caller is asked to wait before retrying while the database is unreachable. */
const RETRY_AFTER_SECONDS = 5

const unreachable = unavailable('The database cannot be reached; try again.')
const outrun = unavailable('The same data was being changed by another request; try again.')

/** SQLSTATE (or its class, two characters) → its meaning for the caller. Postgres manual, appendix A. */
const PROBLEM_BY_SQLSTATE: Record<string, (error: DriverError) => Problem> = {
  '08': unreachable, // connection exception
  '53': unavailable('The database is out of resources; try again.'), // such as memory
  '53100': unavailable('The database has no space left on its disk.'),
  '53300': unavailable('The database accepts no further connections; try again.'),
  '57': unreachable, // operator intervention: shutting down, starting up
  '58': unavailable('The database reports a system error; try again.'), // such as a failing disk
  '40': outrun, // rolled back because of a deadlock or a serialization failure
  '55P03': outrun, // a lock that was not free in time
  '25006': unavailable('The database accepts no changes at the moment; try again.'), // a standby, around a failover
  '57014': tooSlow, // a statement
  '25P03': tooSlow, // a transaction that waited for its next statement
  '25P04': tooSlow, // a transaction
  '23503': conflict, // foreign key
  '23505': conflict, // unique
  '22021': nul, // character not in repertoire: a NUL in a text
  '22003': tooLarge, // numeric value out of range
  '54': tooLarge, // program limit exceeded: nested too deep, or too long for an index
  '22P05': nul, // untranslatable character: a NUL in a text inside JSON
}

const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the server's Unix socket does not exist
])

/** pg reports a lost or unobtainable connection only by its message. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed)|Postgres did not answer|driver has already been destroyed|the embedded database has ended)/

interface DriverError extends Error {
  code?: unknown
  detail?: unknown
  syscall?: unknown
}

/**
 * What a driver's error means for the caller: 503 if the database is unreachable or cannot do for now what it was asked
 * to, 504 if a statement timed out, 409 for a violated unique or foreign key, 400 for a value that Postgres cannot
 * store: text with a NUL (see {@link isNulRejected}), or too large. Null for everything else (a defect).
 */
export function databaseProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  if (!(error instanceof Error)) return null
  const { code, syscall, message } = error as DriverError
  if (CONNECTION_MESSAGE.test(message)) return unreachable(error)
  if (typeof code !== 'string') return null
  if (SOCKET_ERRORS.has(code)) return code === 'ENOENT' && syscall !== 'connect' ? null : unreachable(error)
  const problemOf = PROBLEM_BY_SQLSTATE[code] ?? (code.length === 5 ? PROBLEM_BY_SQLSTATE[code.slice(0, 2)] : undefined)
  return problemOf === undefined ? null : problemOf(error)
}

/** Runs work on the database and converts its errors with {@link databaseProblem}. */
export async function withDatabaseProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw databaseProblem(error) ?? error
  }
}

function unavailable(detail: string): (error: Error) => Problem {
  return cause => new Problem('overloaded', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })
}

function tooSlow(error: DriverError): Problem {
  return new Problem('query_timeout', 'The database took too long to respond.', { cause: error })
}

const NUL = 'A string contains a NUL character, which cannot be stored.'

function nul(error: DriverError): Problem {
  return new Problem('invalid', NUL, { cause: error })
}

/**
 * Whether an error means that a text has a NUL character, in the driver's form or as {@link databaseProblem} makes it.
 */
export const isNulRejected = (error: unknown): boolean => databaseProblem(error)?.detail === NUL

function tooLarge(error: DriverError): Problem {
  return new Problem('invalid', 'A value is larger or nested deeper than the database can store.', { cause: error })
}

function conflict(error: DriverError): Problem {
  const detail = { message: 'The row conflicts with an existing one.', conflict: conflictOf(error.detail) }
  return new Problem('conflict', detail, { cause: error })
}

/**
 * `Key (slug)=(a) already exists.` → `{ slug: 'a' }`; several columns are separated by comma and space. The project of
 * such a key is that of the caller's credentials, which means nothing to a caller.
 */
function conflictOf(detail: unknown): Record<string, string> {
  const match = /^Key \(([^=]*)\)=\((.*)\) /.exec(String(detail))
  if (!match) return {}
  const [, columns = '', values = ''] = match
  const names = columns.replaceAll(/lower\((\w+)\)/g, '$1').split(', ')
  const texts = names.length === 1 ? [values] : values.split(', ')
  const pairs = names.map((name, index): [string, string] => [name, texts[index] ?? ''])
  return Object.fromEntries(pairs.length === 1 ? pairs : pairs.filter(([name]) => name !== 'project_id'))
}
