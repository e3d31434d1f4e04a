import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { countQuery, FIRST_ROWS } from '../api/queries.ts'
import { formatCount } from '../format/format.ts'
import { Button, Choices, controls, Kbd } from '../parts/controls.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { BUCKETS } from './histogram.tsx'
import { Period } from './period.tsx'
import { SavedQueries } from './saved-queries.tsx'
import type { Change, TracesSearch } from './search.ts'
import styles from './traces.module.css'
import type { List } from './use-list.ts'

interface ToolbarProps {
  list: List
  search: TracesSearch
  change: Change
  showsFacets: boolean
  onFacets: () => void
  /** Shows what has arrived. */
  showNew: () => void
  /** Whether it is shown as it arrives. */
  isLive: boolean
}

const ORDER_NAMES = [
  ['time', 'Newest first'],
  ['duration', 'Slowest first'],
  ['costs', 'Most expensive first'],
  ['tokens', 'Most tokens first'],
] as const

/** What is listed, in which order and from when, and how many there are. */
export function Toolbar({ list, search, change, showsFacets, onFacets, showNew, isLive }: ToolbarProps): ReactNode {
  const order = search.order ?? 'time'
  return (
    <div className={styles.toolbar}>
      <Choices
        label="What is listed"
        value={search.focus ?? 'trace'}
        choices={[
          ['trace', 'Traces'],
          ['span', 'Spans'],
        ]}
        onChange={focus => change({ focus: focus === 'trace' ? undefined : focus })}
      />
      <Period search={search} change={change} />
      <select
        className={controls.select}
        aria-label="Order"
        value={order}
        onChange={({ target }) => change({ order: target.value === 'time' ? undefined : (target.value as 'costs') })}
      >
        {ORDER_NAMES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <SavedQueries search={search} change={change} />
      <ColumnsMenu search={search} change={change} />
      <Button aria-pressed={showsFacets} onClick={onFacets}>
        Values
      </Button>
      <Counted list={list} isSpoken={!search.live} />
      <Link to="/dashboard" search={{ q: search.q, since: search.since, from: search.from, to: search.to }}>
        As dashboard
      </Link>
      {search.focus !== 'span' && (
        <Link to="/evaluations/new" search={{ source: 'traces', q: search.q }}>
          Evaluate live
        </Link>
      )}
      <span className={styles.space} />
      {list.arrived > 0 && !isLive && (
        <Button look="primary" onClick={showNew}>
          {formatCount(list.arrived)}
          {list.arrived === FIRST_ROWS && '+'} new <Kbd>n</Kbd>
        </Button>
      )}
      {order === 'time' && !search.to && (
        <Button aria-pressed={search.live ?? false} onClick={() => change({ live: search.live ? undefined : true })}>
          Live
        </Button>
      )}
    </div>
  )
}

/** `isSpoken`: whether a change is read out; that of a live list would be all the time. */
function Counted({ list, isSpoken }: { list: List; isSpoken: boolean }): ReactNode {
  const { data, isPlaceholderData, error } = useQuery({
    ...countQuery(list.body, BUCKETS),
    enabled: list.isSettled,
  })
  const text = data === undefined ? '' : `${data.count.toLocaleString('en')} found`
  return (
    <output
      className={styles.count}
      aria-live={isSpoken ? 'polite' : 'off'}
      data-stale={isPlaceholderData || undefined}
    >
      {error ? `not counted: ${error.message}` : text}
      {data !== undefined && data.errors > 0 && (
        <span className={styles.errors} title="They failed, or an exception is in them or below them.">
          , {data.errors.toLocaleString('en')} with errors
        </span>
      )}
    </output>
  )
}
