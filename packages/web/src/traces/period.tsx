import type { ReactNode } from 'react'
import { formatMinute } from '../format/format.ts'
import { controls } from '../parts/controls.tsx'
import { PERIOD_DEFAULT, PERIODS, type WindowSearch } from './search.ts'

interface PeriodProps {
  search: WindowSearch
  change: (changes: WindowSearch) => void
}

/** The window of a list: a period until now, or the part of time that was chosen by dragging. */
export function Period({ search, change }: PeriodProps): ReactNode {
  const since = search.since ?? PERIOD_DEFAULT
  return (
    <select
      className={controls.select}
      aria-label="Time"
      value={search.from ? 'range' : since}
      onChange={({ target: { value } }) =>
        value !== 'range' &&
        change({ from: undefined, to: undefined, since: value === PERIOD_DEFAULT ? undefined : value })
      }
    >
      {search.from && search.to && (
        <option value="range">
          {formatMinute(search.from)} – {formatMinute(search.to)}
        </option>
      )}
      {Object.entries(PERIODS).map(([value, { label }]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
