/** What ClickHouse answers instead of a result: a number, a name and a sentence, in the form its clients parse. */
export class Exception extends Error {
  readonly code: number
  readonly type: string

  /** `code` and `type` are ClickHouse's, for instance 62 and SYNTAX_ERROR. */
  constructor(code: number, type: string, message: string) {
    super(message)
    this.name = 'Exception'
    this.code = code
    this.type = type
  }

  /** The body of an error reply. */
  get text(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.type})\n`
  }

  /** The HTTP status ClickHouse's server gives this code (src/Server/HTTP/exceptionCodeToHTTPStatus.cpp). */
  get status(): number {
    return statusByCode.get(this.code) ?? 500
  }
}

const codesByStatus: [status: number, codes: number[]][] = [
  // Text, dates and numbers that do not parse, columns that do not fit, syntax.
  [400, [6, 8, 10, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 69, 72, 117, 167, 168, 190, 300, 376, 427]],
  [403, [192, 193, 497, 516]],
  // A table, function, identifier, type, setting, format, database or kind of query that is not there.
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 336, 511]],
  [408, [159]],
  [413, [299]],
  [501, [48]],
  [503, [76, 209, 439]],
]

const statusByCode = new Map(codesByStatus.flatMap(([status, codes]) => codes.map(code => [code, status] as const)))

// The engine wraps an error met in the client's half of an INSERT once more: the inner one is what a server answers.
const wrapped = /^Code: \d+\. DB::Exception: (Code: \d+\. DB::Exception: .*) \(version [^)]*\)\. \(\w+\)$/s
const plain = /^Code: (\d+)\. DB::Exception: (.*) \(([A-Z0-9_]+)\)$/s

/** Reads the engine's message. Anything without a code is a fault of this server and comes out as 1002. */
export function toException(error: unknown): Exception {
  if (error instanceof Exception) return error
  const message = (error instanceof Error ? error.message : String(error)).trim()
  const inner = message.replace(wrapped, '$1')
  const [, code, text, type] = inner.match(plain) ?? []
  if (code === undefined || text === undefined || type === undefined) {
    return new Exception(1002, 'UNKNOWN_EXCEPTION', message)
  }
  return new Exception(Number(code), type, text.replace(spoolTraces, ''))
}

// Bodies reach the engine as files (README.md); callers know nothing of those.
const spoolTraces = /: \(in file\/uri [^)]*\)|: While executing File|: data for INSERT was parsed from file/g
