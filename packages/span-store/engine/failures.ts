import { Problem } from '@spanhouse/model'

/** ClickHouse's code for a result that exceeds its size limit. */
const RESULT_TOO_LARGE = '396'

/** ClickHouse's error codes that reject this one statement and are not a defect of Spanhouse. */
const REFUSALS: Record<string, { code: 'query_timeout' | 'query_limit'; bound: string }> = {
  '159': { code: 'query_timeout', bound: 'time' },
  '160': { code: 'query_timeout', bound: 'time (estimated)' },
  '158': { code: 'query_limit', bound: 'rows read' },
  '307': { code: 'query_limit', bound: 'bytes read' },
  [RESULT_TOO_LARGE]: { code: 'query_limit', bound: 'the size of the result' },
  '241': { code: 'query_limit', bound: 'memory' },
  '191': { code: 'query_limit', bound: 'the size of a set' },
}

/** ClickHouse's codes for bytes that it cannot parse as rows; retrying does not help. */
const UNREADABLE = new Set(['6', '26', '27', '33', '38', '41', '53', '69', '72', '117', '131', '376', '407', '691'])

/** ClickHouse's codes for a column or name that a table does not have. */
const NO_SUCH_COLUMN = new Set(['8', '10', '16', '47'])

/**
 * The tables do not match what this program writes. Neither other rows nor time changes that, so the writer stops and
 * an operator has to act.
 */
export class StoreMismatch extends Error {
  constructor(cause: Error) {
    super(`The ClickHouse tables lack a column that this version of Spanhouse writes: ${cause.message}`, { cause })
    this.name = 'StoreMismatch'
  }
}

/**
 * Whether ClickHouse failed to apply its own lightweight updates during a read: it looks for a column of the table in a
 * block that does not hold it. The error has the code of an unknown column, and the block has a virtual column that
 * ClickHouse adds where it applies updates and that no statement names, at any place among the others. The same
 * statement succeeds a moment later, once parts have been merged.
 */
export const isUpdateFault = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === '10' &&
  error.message.includes('There are only columns: ') &&
  error.message.includes('_part_data_version')

/** Throws a {@link StoreMismatch} if the error of a write is one. */
export function requireStoreMatches(error: unknown): void {
  if (
    error instanceof Error &&
    !isUpdateFault(error) &&
    NO_SUCH_COLUMN.has((error as NodeJS.ErrnoException).code ?? '')
  )
    throw new StoreMismatch(error)
}

/**
 * Whether the cause of a failed write is temporary: an unreachable store, a full disk, a missing table, too many parts.
 * Otherwise the rows themselves are at fault.
 */
export function isPassing(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (error instanceof Problem || syscall !== undefined) return true
  return /^\d+$/.test(code) && !UNREADABLE.has(code)
}

/** Whether the server cannot be connected to, or has gone away before it responded. */
export const isDisconnected = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Whether the server cannot be reached or is silent, so that another one with the same rows should be asked. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).syscall !== undefined ||
    /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? ''))

/** ClickHouse's codes for failures that are temporary. */
const BUSY = new Set([
  ...['202', '203', '225', '236', '242', '252', '285', '319', '369', '394', '425', '439', '473'],
  ...['745', '999', '1000'],
])

/** ClickHouse's code for a full disk, which only its operator can empty. */
const NO_SPACE = '243'

/** ClickHouse's codes for another server of its cluster that it cannot connect to, or that is silent. */
const UNCONNECTED = new Set(['209', '210', '279'])
/**
 * Its codes for bytes that end too early, and what it adds if another server was sending them, which must have died.
 */
const CUT_OFF = new Set(['32', '33'])
const FROM_SERVER = 'while receiving packet from'

/**
 * The error thrown to the caller: Problems `query_timeout`, `query_limit` and `overloaded`, or the error itself.
 * Everything the client throws that is neither a ClickHouse response nor a defect in JavaScript is a network failure: a
 * broken connection, a timeout, or a proxy's error page.
 */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const refusal = /\(total\)/.test(error.message) ? undefined : REFUSALS[code]
  if (refusal) {
    const [limit = ''] = /\b(maximum|max[^:]*): [^,.)]*/i.exec(error.message) ?? []
    return new Problem(refusal.code, `The query exceeded the limit on ${refusal.bound}${limit && ` (${limit})`}.`, {
      cause: error,
    })
  }
  if (UNCONNECTED.has(code) || (CUT_OFF.has(code) && error.message.includes(FROM_SERVER))) return unreachable(error)
  if (code === NO_SPACE)
    return new Problem('overloaded', 'ClickHouse has no space left on its disk.', {
      retryAfterSeconds: 30,
      cause: error,
    })
  if (BUSY.has(code) || REFUSALS[code] || isUpdateFault(error))
    return new Problem('overloaded', 'ClickHouse is too busy; try again.', { retryAfterSeconds: 2, cause: error })
  return /^\d+$/.test(code) || error.constructor !== Error ? error : unreachable(error)
}

/** Whether a statement was rejected because it would read too many rows or bytes. */
export const isReadTooLarge = (error: unknown): boolean =>
  error instanceof Problem && READ_TOO_LARGE.has((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '')

/** ClickHouse's codes for the limits of rows and of bytes read. */
const READ_TOO_LARGE = new Set(['158', '307'])

/** Whether a statement was rejected because its rows together are too large: fewer of them can be read. */
export const isResultTooLarge = (error: unknown): boolean =>
  error instanceof Problem && (error.cause as NodeJS.ErrnoException | undefined)?.code === RESULT_TOO_LARGE

/** A Problem `overloaded` for a request that got no response from ClickHouse. */
export const unreachable = (cause: Error): Problem =>
  new Problem('overloaded', isSilence(cause) ? SILENT : 'ClickHouse cannot be reached; try again.', {
    retryAfterSeconds: 2,
    cause,
  })

/** Between two looks at its limit of time, ClickHouse may read spans of many megabytes. */
const SILENT = 'ClickHouse has not answered in time; try again, or ask for less.'

/** Whether the server took the statement and sent nothing: see `HttpClient`. */
const isSilence = ({ code, syscall }: NodeJS.ErrnoException): boolean => code === 'ETIMEDOUT' && syscall === undefined
