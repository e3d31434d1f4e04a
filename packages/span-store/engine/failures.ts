import { Problem } from '@spanhouse/model'

/** ClickHouse's code for a result with more bytes than it may have. */
const RESULT_TOO_LARGE = '396'

/** ClickHouse's error codes that are a refusal of this one statement and no defect of ours. */
const REFUSALS: Record<string, { code: 'query_timeout' | 'query_limit'; bound: string }> = {
  '159': { code: 'query_timeout', bound: 'time' },
  '160': { code: 'query_timeout', bound: 'time (estimated)' },
  '158': { code: 'query_limit', bound: 'rows read' },
  '307': { code: 'query_limit', bound: 'bytes read' },
  [RESULT_TOO_LARGE]: { code: 'query_limit', bound: 'size of the result' },
  '241': { code: 'query_limit', bound: 'memory' },
  '191': { code: 'query_limit', bound: 'size of a set' },
}

/** ClickHouse's codes for bytes that it cannot read as rows; trying them again changes nothing. */
const UNREADABLE = new Set(['6', '26', '27', '33', '38', '41', '53', '69', '72', '117', '131', '376', '407', '691'])

/** ClickHouse's codes for a column or name that a table does not have. */
const NO_SUCH_COLUMN = new Set(['8', '10', '16', '47'])

/**
 * The tables are not those that this program writes to. Neither the rows nor time will change that, so whoever writes
 * ends, and a person has to look.
 */
export class StoreMismatch extends Error {
  constructor(cause: Error) {
    super(`The ClickHouse tables lack a column that this version of Spanhouse writes: ${cause.message}`, { cause })
    this.name = 'StoreMismatch'
  }
}

/**
 * Whether ClickHouse has failed to apply its own lightweight updates while it read: it asks a block that has only what
 * updates are applied by for a column of the table. It says so with the code of a column that does not exist; a moment later,
 * when parts have been merged, the same statement succeeds.
 */
export const isUpdateFault = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === '10' &&
  error.message.includes('There are only columns: _part_data_version')

/** Throws a {@link StoreMismatch} when that is what a write failed with. */
export function requireStoreMatches(error: unknown): void {
  if (
    error instanceof Error &&
    !isUpdateFault(error) &&
    NO_SUCH_COLUMN.has((error as NodeJS.ErrnoException).code ?? '')
  )
    throw new StoreMismatch(error)
}

/**
 * Whether what a write failed with will pass: an unreachable store, a full disk, a missing table, too many parts. What
 * remains is the fault of the rows themselves.
 */
export function isPassing(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (error instanceof Problem || syscall !== undefined) return true
  return /^\d+$/.test(code) && !UNREADABLE.has(code)
}

/** ClickHouse's codes for what it cannot do now and can do another time. */
const BUSY = new Set([
  ...['202', '203', '209', '210', '225', '236', '242', '243', '252', '279', '285', '319', '394', '425', '439', '473'],
  ...['745', '999', '1000'],
])

/**
 * What is thrown to whoever asked: Problems `query_timeout`, `query_limit` and `overloaded`, or the error itself.
 * Everything the client throws that is neither an answer of ClickHouse nor a defect in JavaScript is the way there: a
 * broken connection, silence, or the words of a proxy in between.
 */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const refusal = /\(total\)/.test(error.message) ? undefined : REFUSALS[code]
  if (refusal) {
    const [limit = ''] = /\b(maximum|max[^:]*): [^,.)]*/i.exec(error.message) ?? []
    return new Problem(refusal.code, `The query went over its bound on ${refusal.bound}${limit && ` (${limit})`}.`, {
      cause: error,
    })
  }
  if (BUSY.has(code) || REFUSALS[code] || isUpdateFault(error))
    return new Problem('overloaded', 'ClickHouse is too busy; try again.', { retryAfterSeconds: 2, cause: error })
  return /^\d+$/.test(code) || error.constructor !== Error ? error : unreachable(error)
}

/** Whether a statement was refused because its rows are too large together: fewer of them may be read. */
export const isResultTooLarge = (error: unknown): boolean =>
  error instanceof Problem && (error.cause as NodeJS.ErrnoException | undefined)?.code === RESULT_TOO_LARGE

/** A Problem `overloaded` for whoever got no answer of ClickHouse. */
export const unreachable = (cause: Error): Problem =>
  new Problem('overloaded', 'ClickHouse cannot be reached; try again.', { retryAfterSeconds: 2, cause })
