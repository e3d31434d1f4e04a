import { SourceMap, type SourceMapPayload } from 'node:module'
import { transformSync } from 'amaro'

/** TypeScript converted to JavaScript. */
export interface Stripped {
  code: string
  /** The line of the source for a line of the code. */
  lineOf(line: number): number
}

/** The source cannot be parsed. */
export class SourceError extends Error {
  readonly line: number | undefined

  constructor(message: string, line: number | undefined) {
    super(message)
    this.line = line
  }
}

/**
 * Removes the types. Most sources keep every position; enums, namespaces and parameter properties have to be rewritten,
 * and lines are then found with a source map. Throws SourceError.
 */
export function stripTypes(source: string): Stripped {
  try {
    return { code: transformSync(source, { mode: 'strip-only' }).code, lineOf: line => line }
  } catch (error) {
    if (isSyntaxFailure(error) && error.code === 'UnsupportedSyntax') return rewrite(source)
    throw sourceError(error)
  }
}

function rewrite(source: string): Stripped {
  const { code, map } = rewritten(source)
  const lines = new SourceMap(map)
  return {
    code,
    lineOf: line => {
      const entry = lines.findEntry(line - 1, LAST_COLUMN)
      return 'originalLine' in entry ? entry.originalLine + 1 : line
    },
  }
}

/** Finds a line's last entry: its first one may still belong to the previous line. */
const LAST_COLUMN = 10_000

function rewritten(source: string): { code: string; map: SourceMapPayload } {
  try {
    const { code, map = '' } = transformSync(source, { mode: 'transform', sourceMap: true })
    return { code, map: JSON.parse(map) as SourceMapPayload }
  } catch (error) {
    throw sourceError(error)
  }
}

/** What the compiler throws for a source that it rejects: not an Error. */
interface SyntaxFailure {
  code: 'InvalidSyntax' | 'UnsupportedSyntax'
  message: string
  startLine: number
}

const isSyntaxFailure = (error: unknown): error is SyntaxFailure =>
  typeof error === 'object' && error !== null && 'startLine' in error

/** Errors other than the parser's own are passed on. */
const sourceError = (error: unknown): unknown =>
  isSyntaxFailure(error) ? new SourceError(`SyntaxError: ${error.message}`, error.startLine) : error
