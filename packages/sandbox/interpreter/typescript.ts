import { SourceMap, type SourceMapPayload, stripTypeScriptTypes } from 'node:module'

/** TypeScript as JavaScript. */
export interface Stripped {
  code: string
  /** The line of the source that a line of the code comes from. */
  lineOf(line: number): number
}

/** The source does not parse. */
export class SourceError extends Error {
  readonly line: number | undefined

  constructor(message: string, line: number | undefined) {
    super(message)
    this.line = line
  }
}

/**
 * Takes the types out. Most sources keep every position; enums, namespaces and parameter properties have to be
 * rewritten, and then lines are found by a source map. Throws SourceError.
 */
export function stripTypes(source: string): Stripped {
  try {
    return { code: stripTypeScriptTypes(source, { mode: 'strip', sourceUrl: FILE }), lineOf: line => line }
  } catch (error) {
    if (codeOf(error) === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return rewrite(source)
    throw sourceError(error)
  }
}

const FILE = 'evaluate.ts'
const MAP_COMMENT = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/

function rewrite(source: string): Stripped {
  const code = rewritten(source)
  const [, encoded = ''] = MAP_COMMENT.exec(code) ?? []
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload)
  return {
    code,
    lineOf: line => {
      const entry = map.findEntry(line - 1, LAST_COLUMN)
      return 'originalLine' in entry ? entry.originalLine + 1 : line
    },
  }
}

/** Finds a line's last entry: its first one may still belong to the line before. */
const LAST_COLUMN = 10_000

function rewritten(source: string): string {
  try {
    return stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: FILE })
  } catch (error) {
    throw sourceError(error)
  }
}

/** Anything else than the parser's own complaint is passed on. */
function sourceError(error: unknown): unknown {
  if (!codeOf(error)?.endsWith('_TYPESCRIPT_SYNTAX')) return error
  const { message, stack = '' } = error as Error
  const [, line] = /^evaluate\.ts:(\d+)/.exec(stack) ?? []
  return new SourceError(`SyntaxError: ${message}`, line ? Number(line) : undefined)
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
