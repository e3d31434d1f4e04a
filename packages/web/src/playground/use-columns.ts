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
  const keep = (key: string, configuration: Configuration | undefined): void => {
    const { [key]: _, ...others } = drafts
    setDrafts(configuration === undefined ? others : { ...others, [key]: configuration })
  }
  return {
    columns,
    draft: ({ key }, configuration) => keep(key, configuration),
    replace: (column, { id }) => {
      keep(column.key, undefined)
      const others = keys.filter(key => key !== column.key)
      show(keys.map(key => (key === column.key ? newColumn(others, id) : key)))
    },
    copy: ({ key, revision, configuration, isDraft }) => {
      const copied = newColumn(keys, revision.id)
      if (isDraft) keep(copied, configuration)
      show(keys.flatMap(one => (one === key ? [one, copied] : [one])))
    },
    remove: column => show(keys.filter(key => key !== column.key)),
  }
}
