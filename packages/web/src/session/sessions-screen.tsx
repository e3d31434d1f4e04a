import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import type { ListBody } from '../api/filtering.ts'
import { type Group, groupsQuery } from '../api/queries.ts'
import {
  exact,
  formatAmount,
  formatCost,
  formatCount,
  formatDuration,
  formatFullTime,
  formatTime,
  visible,
} from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { Choices, controls, Failure, Waiting } from '../parts/controls.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import { useKeptScroll } from '../parts/use-kept-scroll.ts'
import { useRowClicks } from '../parts/use-row-clicks.ts'
import { FilterLine } from '../traces/filter-line.tsx'
import { allOf, termOf, WITH_ERRORS } from '../traces/filter-text.ts'
import { Period } from '../traces/period.tsx'
import { useBody } from '../traces/use-body.ts'
import { lastedMs } from './queries.ts'
import { SESSION_ORDERS, type SessionOrder, type SessionsSearch } from './search.ts'
import styles from './session.module.css'

/** Sessions in the list. */
const SESSIONS_MAX = 500
const LOOK_MS = 5_000

const ORDER_NAMES: Readonly<Record<SessionOrder, string>> = {
  last: 'Latest first',
  costs: 'Most expensive first',
  tokens: 'Most tokens first',
  count: 'Most turns first',
  errors: 'Most errors first',
}

/** The sessions of a window, with the totals of their traces. */
export function SessionsScreen(): ReactNode {
  const search = useSearch({ from: '/sessions' })
  const change = useChangeOf<SessionsSearch>()
  const { body, listed, error } = useBody(search)
  return (
    <div className={styles.screen}>
      <h1 className={controls.hidden}>Sessions</h1>
      <FilterLine text={search.q ?? ''} error={error} change={change} window={body?.windowing} />
      <div className={styles.toolbar}>
        <Choices
          label="Which sessions"
          value={search.all ? 'all' : 'several'}
          choices={[
            ['several', 'Conversations'],
            ['all', 'All sessions'],
          ]}
          onChange={which => change({ all: which === 'all' || undefined })}
        />
        <Period search={search} change={change} />
        <select
          className={controls.select}
          aria-label="Order"
          value={search.order ?? 'last'}
          onChange={({ target: { value } }) =>
            change({ order: value === 'last' ? undefined : (value as SessionOrder) })
          }
        >
          {SESSION_ORDERS.map(order => (
            <option key={order} value={order}>
              {ORDER_NAMES[order]}
            </option>
          ))}
        </select>
      </div>
      {body && listed && <Sessions body={body} listed={listed} search={search} />}
    </div>
  )
}

interface SessionsProps {
  body: ListBody
  /** The same as it was when the screen began. */
  listed: ListBody
  search: SessionsSearch
}

function Sessions({ body, listed, search }: SessionsProps): ReactNode {
  const grouping = {
    by: 'session_id',
    order_by: search.order ?? 'last',
    values: SESSIONS_MAX,
    count_min: search.all ? 1 : 2,
  }
  const query = useQuery({ ...groupsQuery(body, grouping), refetchInterval: LOOK_MS })
  const matching = search.q ? ' that match the filter' : ''
  const sessions = query.data?.groups.filter(({ value }) => value !== undefined) ?? []
  const table = useRef<HTMLTableElement>(null)
  useLinkKeys(table)
  useRowClicks(table)
  const scroller = useRef<HTMLDivElement>(null)
  useKeptScroll(scroller, query.isSuccess && !query.isPlaceholderData ? JSON.stringify([listed, grouping]) : undefined)
  return (
    <Scroller
      ref={scroller}
      className={styles.scroller}
      label="List"
      isList
      data-stale={query.isPlaceholderData || undefined}
    >
      {query.error && <Failure what="The sessions cannot be read." error={query.error} />}
      <table ref={table} className={styles.sessions} aria-label="Sessions">
        <thead>
          <tr>
            <th scope="col">Last turn</th>
            <th scope="col">Session</th>
            <th scope="col">Turns</th>
            <th scope="col">Errors</th>
            <th scope="col">Lasted</th>
            <th scope="col">p95</th>
            <th scope="col">Σ tokens</th>
            <th scope="col">Σ cost</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map(session => (
            <SessionRow key={session.value} session={session} search={search} />
          ))}
        </tbody>
      </table>
      {query.isPending && <Waiting />}
      {query.data && sessions.length === 0 && (
        <p className={styles.nothing}>
          {search.all
            ? `No traces${matching} in this time belong to a session. `
            : `No session in this time has several turns${matching}. `}
          {matching === '' && (
            <>
              Set the attribute <code>session.id</code> on the spans of a conversation to see its turns together.
            </>
          )}
        </p>
      )}
      {sessions.length >= SESSIONS_MAX - 1 && (
        <p className={styles.nothing}>
          The first {SESSIONS_MAX} are shown. A filter or a shorter time shows the others.
        </p>
      )}
    </Scroller>
  )
}

function SessionRow({ session, search }: { session: Group; search: SessionsSearch }): ReactNode {
  const { value = '', count, errors, last = '', p95, tokens, costs } = session
  const { since, from, to } = search
  const rows = { q: allOf([search.q, termOf('session_id', value)]), since, from, to }
  return (
    <tr>
      <td title={formatFullTime(last)}>{formatTime(last)}</td>
      <th scope="row">
        <Link to="/sessions/$sessionId" params={{ sessionId: value }} className={styles.link} title={visible(value)}>
          {visible(value)}
        </Link>
      </th>
      <td>
        <Link to="/traces" search={rows}>
          {formatCount(count)}
        </Link>
      </td>
      <td className={errors ? styles.errors : undefined}>
        {errors ? (
          <Link to="/traces" search={{ ...rows, q: `${rows.q} ${WITH_ERRORS}` }}>
            {formatCount(errors)}
          </Link>
        ) : (
          formatAmount(errors)
        )}
      </td>
      <td>{formatDuration(lastedMs(session))}</td>
      <td>{formatDuration(p95)}</td>
      <td title={exact(tokens)}>{formatAmount(tokens)}</td>
      <td title={exact(costs)}>{formatCost(costs)}</td>
    </tr>
  )
}

/** `j` and `k` go from session to session; Enter opens the one with the focus. */
function useLinkKeys(table: React.RefObject<HTMLTableElement | null>): void {
  const move = (by: number) => () => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('tbody th a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at < 0 ? 0 : at + by]?.focus()
  }
  useKeys({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1) })
}
