import { Exception } from './exception.ts'
import { toText } from './text.ts'

/** An INSERT whose rows follow its text: `INSERT INTO t (a) SETTINGS x = 1 FORMAT TSV` and then the data. */
export interface InsertStatement {
  /** Up to where `FROM INFILE` belongs. */
  head: string
  /** The SETTINGS clause, or nothing. */
  settings: string
  format: string
  /** Index of the first byte of data. */
  dataStart: number
}

// Beyond this no statement's own text reaches, as the engine's max_query_size has it.
const textBytesMax = 262_144

const token = /`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|--[^\n]*|\/\*.*?\*\/|\w+|\s+|./sy

/**
 * Recognises an INSERT that is followed by data in a format. Anything else, VALUES and SELECT included, is undefined:
 * the engine's own parser finds the end of those.
 */
export function parseInsert(bytes: Buffer): InsertStatement | undefined {
  // One character a byte, since the data need not be text.
  const text = bytes.toString('latin1', 0, textBytesMax)
  const clauses = topLevelClauses(text)
  const { SETTINGS: settings, FORMAT: format, SELECT: select } = clauses
  if (clauses.INSERT === undefined || format === undefined) return undefined
  if (select !== undefined) return refuseInput(text.slice(select, format))
  const [whole, name] = /^FORMAT\s+(\w+)(?:[ \t\f]*\r?\n|[ \t\f]*)/i.exec(text.slice(format)) ?? []
  if (whole === undefined || name === undefined) return undefined
  const headEnd = settings ?? format
  return {
    head: toText(bytes.subarray(0, headEnd)),
    settings: toText(bytes.subarray(headEnd, format)),
    format: name,
    dataStart: format + whole.length,
  }
}

/** Rewrites the statement to read its data from a file instead. */
export function fromFile({ head, settings, format }: InsertStatement, path: string): string {
  return `${head} FROM INFILE '${path}' ${settings} FORMAT ${format}`
}

// The embedded engine takes such a statement, reports success and stores nothing.
function refuseInput(select: string): undefined {
  if (!/\binput\s*\(/i.test(select)) return undefined
  throw new Exception(48, 'NOT_IMPLEMENTED', 'INSERT ... SELECT ... FROM input() is not supported by this server.')
}

type Clause = 'INSERT' | 'SETTINGS' | 'SELECT' | 'FORMAT'
const clauseOf: Record<string, Clause | 'end'> = {
  SETTINGS: 'SETTINGS',
  SELECT: 'SELECT',
  WITH: 'SELECT',
  FORMAT: 'FORMAT',
  VALUES: 'end',
  FROM: 'end',
}

/** Where the first of each clause starts, outside brackets, quotes and comments, up to where data may begin. */
function topLevelClauses(text: string): Partial<Record<Clause, number>> {
  const found: Partial<Record<Clause, number>> = {}
  let depth = 0
  for (const { word, index } of tokens(text)) {
    if ('([{'.includes(word)) depth += 1
    else if (')]}'.includes(word)) depth -= 1
    if (depth > 0) continue
    if (found.INSERT === undefined) {
      if (word.toUpperCase() !== 'INSERT') return found
      found.INSERT = index
      continue
    }
    const clause = clauseOf[word.toUpperCase()]
    // FROM belongs to a SELECT, or it is an INFILE already.
    if (clause === 'end' && found.SELECT === undefined) return found
    if (clause === undefined || clause === 'end') continue
    found[clause] ??= index
    if (clause === 'FORMAT') return found
  }
  return found
}

function* tokens(text: string): Generator<{ word: string; index: number }> {
  token.lastIndex = 0
  for (let index = 0; index < text.length; index = token.lastIndex) {
    token.lastIndex = index
    const [word] = token.exec(text) ?? []
    if (word === undefined) return
    if (!/^(?:\s|--|\/\*)/.test(word)) yield { word, index }
  }
}
