import type { JsonObject, Revision } from '../api/registry.ts'
import { useStored } from '../parts/use-stored.ts'
import { type Column, columnsOf, type Drafts } from './columns.ts'
import { type ChangeSearch, listIn, newColumn, type PlaygroundSearch, textOf } from './search.ts'

interface Columns {
  columns: readonly Column[]
  /** Changes the parameters of a column; undefined discards its draft. */
  draft: (column: Column, parameters: JsonObject | undefined) => void
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
  const [drafts = {}, setDrafts] = useStored<Drafts>(`drafts.${workflow_id}`)
  const columns = columnsOf(listIn(search.columns), revisions, drafts)
  const keys = columns.map(({ key }) => key)
  const show = (next: readonly string[]): void => change({ columns: textOf(next) })
  const keep = (key: string, parameters: JsonObject | undefined): void => {
    const { [key]: _, ...others } = drafts
    setDrafts(parameters === undefined ? others : { ...others, [key]: parameters })
  }
  return {
    columns,
    draft: ({ key }, parameters) => keep(key, parameters),
    replace: (column, { id }) => {
      keep(column.key, undefined)
      const others = keys.filter(key => key !== column.key)
      show(keys.map(key => (key === column.key ? newColumn(others, id) : key)))
    },
    copy: ({ key, revision, parameters, isDraft }) => {
      const copied = newColumn(keys, revision.id)
      if (isDraft) keep(copied, parameters)
      show(keys.flatMap(one => (one === key ? [one, copied] : [one])))
    },
    remove: column => show(keys.filter(key => key !== column.key)),
  }
}
