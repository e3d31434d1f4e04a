import type { Json } from '../api/registry/registry.ts'

/*
 * CSV for people, who open it in a spreadsheet (RFC 4180). Programs take JSON, which has types.
 */

/** Begins a file: a spreadsheet takes it for another encoding than UTF-8 otherwise. */
export const CSV_START = '\ufeff'

/** A line of a file. Objects are JSON, and what is not there is empty. */
export function csvLine(values: readonly (Json | undefined)[]): string {
  const cells = values.map(cellOf)
  // Most readers skip a line without anything.
  return `${cells.length === 1 && cells[0] === '' ? '""' : cells.join()}\r\n`
}

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? guarded(value) : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A text that a spreadsheet would carry out as a formula, also with apostrophes before it. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

const isFormula = (text: string): boolean => FORMULA.test(text) && !NUMBER.test(text)

/** An apostrophe makes a formula a text: what models and their users write must not run on somebody's computer. */
const guarded = (text: string): string => (isFormula(text) ? `'${text}` : text)

/** The text of a cell without the apostrophe that {@link csvLine} puts before formulas. */
export const unguarded = (text: string): string =>
  text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
