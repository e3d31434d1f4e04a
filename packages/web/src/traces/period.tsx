import { type ReactNode, useState } from 'react'
import { formatMinute } from '../format/format.ts'
import { Button, controls, TextField } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { PERIOD_DEFAULT, PERIODS, type WindowSearch, windowOf } from './search.ts'
import styles from './traces.module.css'

interface PeriodProps {
  search: WindowSearch
  change: (changes: WindowSearch) => void
}

/** The window of a list: a period until now, or a part of time that was entered or chosen by dragging. */
export function Period({ search, change }: PeriodProps): ReactNode {
  const since = search.since ?? PERIOD_DEFAULT
  return (
    <>
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
      <PopoverButton label="From … to …">
        {close => <Range search={search} change={change} onShown={close} />}
      </PopoverButton>
    </>
  )
}

/** Years have four digits. */
const LAST = '9999-12-31T23:59'

/** Both bounds of the window, in local time. */
function Range({ search, change, onShown }: PeriodProps & { onShown: () => void }): ReactNode {
  const [{ from, to }, setBounds] = useState(() => {
    const { oldest, newest } = windowOf(search, Date.now())
    return { from: minuteOf(oldest), to: minuteOf(newest) }
  })
  const isRange = from !== '' && from < to
  return (
    <form
      className={styles.range}
      onSubmit={event => {
        event.preventDefault()
        if (!isRange) return
        change({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), since: undefined })
        onShown()
      }}
    >
      <TextField
        className={controls.field}
        label="From"
        type="datetime-local"
        max={LAST}
        value={from}
        onChange={next => setBounds({ from: next, to })}
      />
      <TextField
        className={controls.field}
        label="To"
        type="datetime-local"
        max={LAST}
        value={to}
        onChange={next => setBounds({ from, to: next })}
      />
      <Button type="submit" disabled={!isRange}>
        Show
      </Button>
      <output>{!isRange && 'It must begin before it ends.'}</output>
    </form>
  )
}

/** A time as such a field has it. */
function minuteOf(iso: string): string {
  const ms = Date.parse(iso)
  // Not by the minutes of a date: some of these do not exist on the day on which clocks change.
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length)
}
