import type { Configuration, Revision } from '../api/registry.ts'
import { useStored } from '../parts/use-stored.ts'
import { type Column, columnsOf, type Drafts } from './columns.ts'
import { type ChangeSearch, listIn, newColumn, type PlaygroundSearch, textOf } from './search.ts'

interface Columns {
  columns: readonly Column[]
  /** Changes the configuration of a column; undefined discards its draft. */
  draft: (column: Column, configuration: Configuration | undefined) => void
  /** Shows a revision in place of a column, whose draft is given up. */
  replace: (column: Column, revision: Revision) => void
  /** Shows the same, draft or not, beside a column. */
  copy: (column: Column) => void
  remove: (column: Column) => void
}

/** The columns that the address names, with the drafts that are kept in this browser. */
export function useColumns(
  workflow_id: string,
  revisions: readonly Revision[],
  { search, change }: { search: PlaygroundSearch; change: ChangeSearch },
): Columns {
  const [drafts = {}, setDrafts] = useStored<Drafts>(`configurations.${workflow_id}`)
  const columns = columnsOf(listIn(search.columns), revisions, drafts)
  const keys = columns.map(({ key }) => key)
  const show = (next: readonly string[]): void => change({ columns: textOf(next) })
  /** Changes some drafts; undefined discards one. */
  const keep = (changes: Readonly<Record<string, Configuration | undefined>>): void =>
    setDrafts(
      Object.fromEntries(
        Object.entries({ ...drafts, ...changes }).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])),
      ),
    )
  return {
    columns,
    draft: ({ key }, configuration) => keep({ [key]: configuration }),
    replace: (column, { id }) => {
      const others = keys.filter(key => key !== column.key)
      const chosen = newColumn(others, id)
      // A column that was removed may have left a draft under the same key.
      keep({ [column.key]: undefined, [chosen]: undefined })
      show(keys.map(key => (key === column.key ? chosen : key)))
    },
    copy: ({ key, revision, configuration, isDraft }) => {
      const copied = newColumn(keys, revision.id)
      keep({ [copied]: isDraft ? configuration : undefined })
      show(keys.flatMap(one => (one === key ? [one, copied] : [one])))
    },
    remove: column => show(keys.filter(key => key !== column.key)),
  }
}
