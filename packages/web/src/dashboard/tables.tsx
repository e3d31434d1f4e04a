import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ofWholeTraces } from '../api/filtering.ts'
import { type Group, type Grouping, groupsQuery } from '../api/queries.ts'
import { exact, formatAmount, formatCost, formatCount, formatDuration, MISSING, visible } from '../format/format.ts'
import { Button, Failure, Waiting } from '../parts/controls.tsx'
import { allOf, hasTerm, termOf, toggleTerm, WITH_ERRORS } from '../traces/filter-text.ts'
import type { TracesSearch } from '../traces/search.ts'
import styles from './dashboard.module.css'
import type { Shown } from './shown.ts'

interface Table {
  title: string
  by: string
  /** What is counted: traces, or calls of models. */
  counts: string
  grouping: Grouping
}

/** Tokens and cost of a model are those of its own calls: a trace may call several. */
const TABLES: readonly Table[] = [
  { title: 'By application', by: 'application', counts: 'Traces', grouping: { order_by: 'costs' } },
  { title: 'By model', by: 'model', counts: 'Calls', grouping: { order_by: 'costs', amounts: 'own' } },
  { title: 'By environment', by: 'environment', counts: 'Traces', grouping: { order_by: 'costs' } },
  { title: 'By user', by: 'user_id', counts: 'Traces', grouping: { order_by: 'costs' } },
]

/** How many rows a table has at first, and at most. */
const [ROWS, ROWS_MAX] = [10, 200]

export const Tables = (shown: Shown): ReactNode => (
  <div className={styles.tables}>
    {TABLES.map(table => (
      <TableView key={table.by} table={table} shown={shown} />
    ))}
  </div>
)

function TableView({ table, shown }: { table: Table; shown: Shown }): ReactNode {
  const { title, by, counts, grouping } = table
  const body = grouping.amounts === 'own' ? ofWholeTraces(shown.body) : shown.body
  const { full = [] } = shown.search
  const isFull = full.includes(by)
  const limit = isFull ? ROWS_MAX : ROWS
  // One more tells whether there are others.
  const asked = groupsQuery(body, { by, values: limit + 1, ...grouping })
  const { data, error, isPending, isPlaceholderData } = useQuery(asked)
  const toggle = (): void => {
    const others = full.filter(one => one !== by)
    const next = isFull ? others : [...others, by]
    shown.change({ full: next.length > 0 ? next : undefined })
  }
  const most = Math.max(0, ...(data?.groups.map(({ costs = 0 }) => costs) ?? []))
  return (
    <section className={styles.table} data-stale={isPlaceholderData || undefined}>
      <h2 id={`by-${by}`}>{title}</h2>
      {error && <Failure what="The groups cannot be read." error={error} />}
      <table aria-labelledby={`by-${by}`}>
        <thead>
          <tr>
            <th scope="col">{title.charAt(3).toUpperCase() + title.slice(4)}</th>
            <th scope="col">{counts}</th>
            <th scope="col">Errors</th>
            <th scope="col">p95</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {data?.groups.slice(0, limit).map(group => (
            <TableRow key={group.value ?? ''} {...{ group, table, shown, most }} />
          ))}
        </tbody>
      </table>
      {isPending && <Waiting />}
      {data?.count === 0 && <p className={styles.none}>Nothing in this time.</p>}
      {data && (isFull || data.count > ROWS) && (
        <p className={styles.none}>
          {data.count > limit && `Only the ${limit} with the highest cost. `}
          {data.count > limit && isFull && 'A filter finds the others. '}
          <Button look="plain" aria-expanded={isFull} onClick={toggle}>
            {isFull ? `Show ${ROWS}` : 'Show more'}
          </Button>
        </p>
      )}
    </section>
  )
}

interface TableRowProps {
  group: Group
  table: Table
  shown: Shown
  most: number
}

function TableRow({ group, table, shown: { search, change }, most }: TableRowProps): ReactNode {
  const { value, count, errors, p95, tokens, costs = 0 } = group
  const isOfCalls = table.grouping.amounts === 'own'
  const term = termOf(table.by, value)
  const q = allOf([search.q, term])
  const { since, from, to } = search
  const rows: TracesSearch = { q, since, from, to, ...(isOfCalls && { focus: 'span' }) }
  // Calls in traces of which the root matches are no list of their own.
  const opens = !isOfCalls || (search.q === undefined && value !== undefined)
  const name = value === undefined ? '(none)' : visible(value)
  return (
    <tr>
      <th scope="row">
        {isOfCalls ? (
          <span>{name}</span>
        ) : (
          <button
            type="button"
            aria-pressed={hasTerm(search.q ?? '', term)}
            title={`Only ${name}`}
            onClick={() => change({ q: toggleTerm(search.q ?? '', term) || undefined })}
          >
            {name}
          </button>
        )}
      </th>
      <td>
        {opens ? (
          <Link to="/traces" search={rows}>
            {formatCount(count)}
          </Link>
        ) : (
          formatCount(count)
        )}
      </td>
      <td className={errors ? styles.errors : undefined}>
        {errors && opens ? (
          <Link to="/traces" search={{ ...rows, q: `${q} ${WITH_ERRORS}` }}>
            {formatCount(errors)}
          </Link>
        ) : (
          formatAmount(errors)
        )}
      </td>
      <td>{p95 === undefined ? MISSING : formatDuration(p95)}</td>
      <td title={exact(tokens)}>{formatAmount(tokens)}</td>
      <td title={exact(costs)} className={styles.cost}>
        <span className={styles.bar} style={{ width: most === 0 ? 0 : `${(costs / most) * 100}%` }} />
        <span>{formatCost(costs)}</span>
      </td>
    </tr>
  )
}
