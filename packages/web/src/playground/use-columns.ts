import type { Configuration, Revision } from '../api/registry/registry.ts'
import { useStored } from '../parts/use-stored.ts'
import { type Column, columnsOf, type Drafts, hiddenDrafts } from './columns.ts'
import { type ChangeSearch, listIn, newColumn, type PlaygroundSearch, textOf } from './search.ts'

interface Columns {
  columns: readonly Column[]
  /** Drafts that none of them shows: of a revision that was the newest before, or of a column that was removed. */
  hidden: readonly Column[]
  /** Changes the configuration of a column; undefined discards its draft. */
  draft: (column: Column, configuration: Configuration | undefined) => void
  /** Shows a revision in place of a column. */
  replace: (column: Column, revision: Revision) => void
  /** Shows the revision that the draft of a column has become. */
  commit: (column: Column, revision: Revision) => void
  /** Shows a hidden draft after all columns. */
  add: (hidden: Column) => void
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
  const replace = (column: Column, { id }: Revision): string => {
    const chosen = newColumn(
      keys.filter(key => key !== column.key),
      id,
    )
    show(keys.map(key => (key === column.key ? chosen : key)))
    return chosen
  }
  return {
    columns,
    hidden: hiddenDrafts(columns, revisions, drafts),
    draft: ({ key }, configuration) => keep({ [key]: configuration }),
    replace,
    commit: (column, revision) => keep({ [column.key]: undefined, [replace(column, revision)]: undefined }),
    add: ({ key }) => show([...keys, key]),
    copy: ({ key, revision, configuration, isDraft }) => {
      const copied = newColumn(keys, revision.id)
      keep({ [copied]: isDraft ? configuration : undefined })
      show(keys.flatMap(one => (one === key ? [one, copied] : [one])))
    },
    remove: column => show(keys.filter(key => key !== column.key)),
  }
}
