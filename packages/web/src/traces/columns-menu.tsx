import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, controls } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { type Change, columnsIn, SCORES, type TracesSearch } from './search.ts'
import styles from './traces.module.css'

/** Attributes that a list shows in addition; the server takes ten. */
const COLUMNS_MAX = 8

const SUGGESTED = ['resource.service.name', 'resource.deployment.environment.name', 'ag.meta.response.model']

interface ColumnsMenuProps {
  search: TracesSearch
  change: Change
}

/** Which columns the list has besides those that every list has: scores, and attributes by their path. */
export function ColumnsMenu({ search, change }: ColumnsMenuProps): ReactNode {
  const columns = columnsIn(search)
  const [path, setPath] = useState('')
  const set = (next: readonly string[]): void =>
    change({ columns: next.length === 0 ? undefined : next.join() }, { replace: true })
  const toggle = (column: string): void =>
    set(columns.includes(column) ? columns.filter(one => one !== column) : [...columns, column])
  const isFull = columns.length >= COLUMNS_MAX
  const add = (event: FormEvent): void => {
    event.preventDefault()
    const column = path.trim()
    if (column === '' || column.includes(',') || columns.includes(column) || isFull) return
    set([...columns, column])
    setPath('')
  }
  const offered = [SCORES, ...new Set([...SUGGESTED, ...columns.filter(column => column !== SCORES)])]
  return (
    <PopoverButton label="Columns">
      <div className={styles.columns}>
        {offered.map(column => (
          <label key={column}>
            <input
              type="checkbox"
              checked={columns.includes(column)}
              disabled={isFull && !columns.includes(column)}
              onChange={() => toggle(column)}
            />{' '}
            {column === SCORES ? 'Scores' : column}
          </label>
        ))}
        <form onSubmit={add}>
          <input
            className={controls.input}
            aria-label="Path of an attribute"
            placeholder="Path of an attribute"
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
          <Button type="submit" disabled={isFull} title={isFull ? `At most ${COLUMNS_MAX} columns` : undefined}>
            Add
          </Button>
        </form>
      </div>
    </PopoverButton>
  )
}
