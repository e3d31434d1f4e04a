import { KINDS, type Kind } from '../api/registry/registry.ts'
import type { ChangeOf } from '../parts/use-change-of.ts'

/** What the address of the playground says. */
export interface PlaygroundSearch {
  /** The columns: ids of revisions, each perhaps followed by `~` and a number, when one revision is in several. */
  columns?: string
  /** The testset whose rows are run; without it, rows that are kept in this browser. */
  testset?: string
  /** The evaluators that score each output. */
  evaluators?: string
  /** For evaluators: the traces that are judged. */
  trace?: string
}

export function readPlaygroundSearch(given: Record<string, unknown>): PlaygroundSearch {
  const text = (name: string): string | undefined => {
    const value = given[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return { columns: text('columns'), testset: text('testset'), evaluators: text('evaluators'), trace: text('trace') }
}

export const listIn = (text: string | undefined): string[] => (text ? text.split(',') : [])
export const textOf = (list: readonly string[]): string | undefined => (list.length > 0 ? list.join(',') : undefined)

export const revisionIdOf = (column: string): string => column.split('~', 1)[0] as string

/** A column for the revision whose key is not among those that exist. */
export function newColumn(columns: readonly string[], revision_id: string): string {
  for (let number = 1; ; number++) {
    const key = number === 1 ? revision_id : `${revision_id}~${number}`
    if (!columns.includes(key)) return key
  }
}

export const kindIn = (plural: string): Kind | undefined => KINDS.find(kind => `${kind}s` === plural)

export type ChangeSearch = ChangeOf<PlaygroundSearch>
