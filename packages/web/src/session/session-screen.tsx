import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Group, Row } from '../api/queries.ts'
import { byTrace } from '../api/scores.ts'
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
import { useNameInTitle } from '../frame/title.ts'
import { Failure, Waiting } from '../parts/controls.tsx'
import { type ChangeOf, useChangeOf } from '../parts/use-change-of.ts'
import { termOf, WITH_ERRORS } from '../traces/filter-text.ts'
import { lastedMs, sessionQuery, TURNS_MAX, turnScoresQuery } from './queries.ts'
import type { SessionSearch } from './search.ts'
import styles from './session.module.css'
import { Strip } from './strip.tsx'
import { Turns } from './turns.tsx'

/** A session: its turns, and all they said as one conversation. */
export function SessionScreen(): ReactNode {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' })
  const search = useSearch({ from: '/sessions/$sessionId' })
  const { data, error } = useQuery(sessionQuery(sessionId))
  const { turns, totals } = data ?? {}
  useNameInTitle(sessionId)
  const change = useChangeOf<SessionSearch>({ replace: true })
  return (
    <div className={styles.session}>
      <header className={styles.header}>
        <h1>Session {visible(sessionId)}</h1>
        {turns && turns.length > 0 && totals && <Totals session={sessionId} totals={totals} turns={turns} />}
      </header>
      {error && <Failure what="The session cannot be read." error={error} />}
      {!turns && !error && <Waiting />}
      {turns?.length === 0 && (
        <p className={styles.nothing} role="status">
          This project has no trace of the session <code>{visible(sessionId)}</code>. It may have been deleted, or it
          has not arrived yet: the page keeps looking. Go to the <Link to="/sessions">list of sessions</Link>.
        </p>
      )}
      {turns && turns.length > 0 && (
        <Body {...{ turns, search, change }} earlier={Math.max(0, (totals?.count ?? 0) - turns.length)} />
      )}
    </div>
  )
}

interface BodyProps {
  turns: readonly Row[]
  /** How many turns the session has before them. */
  earlier: number
  search: SessionSearch
  change: ChangeOf<SessionSearch>
}

function Body({ turns, earlier, search, change }: BodyProps): ReactNode {
  const { data: annotations = [] } = useQuery(turnScoresQuery(turns.map(({ trace_id }) => trace_id)))
  const scores = byTrace(annotations)
  const selected = Math.max(
    0,
    turns.findIndex(({ trace_id, span_id }) => trace_id === search.turn || span_id === search.turn),
  )
  const select = (at: number): void => {
    const turn = turns[at]
    if (!turn) return
    const isFirstOfTrace = turns.findIndex(({ trace_id }) => trace_id === turn.trace_id) === at
    change({ turn: isFirstOfTrace ? turn.trace_id : turn.span_id })
  }
  const navigate = useNavigate()
  const current = turns[selected] as Row
  const toggle = (turn: Row): void => change({ steps: search.steps === turn.trace_id ? undefined : turn.trace_id })
  useKeys({
    j: () => select(selected + 1),
    k: () => select(selected - 1),
    ArrowDown: () => select(selected + 1),
    ArrowUp: () => select(selected - 1),
    s: () => toggle(current),
    o: () => navigate({ to: '/traces/$traceId', params: { traceId: current.trace_id } }),
  })
  return (
    <>
      <Strip {...{ turns, earlier, selected, select }} />
      {earlier > 0 && turns.length === TURNS_MAX && (
        <p className={styles.nothing}>
          Only the last {formatCount(TURNS_MAX)} turns are shown; the list of traces has the earlier ones.
        </p>
      )}
      <Turns {...{ turns, earlier, selected, select, scores, toggle }} steps={search.steps} />
    </>
  )
}

interface TotalsProps {
  session: string
  totals: Group
  turns: readonly Row[]
}

function Totals({ session, totals, turns }: TotalsProps): ReactNode {
  const { count, errors = 0, first = '', tokens, costs } = totals
  const users = [...new Set(turns.map(({ user_id }) => user_id).filter(user => user !== undefined))]
  const q = termOf('session_id', session)
  return (
    <dl className={styles.totals}>
      <div>
        <dt>Turns</dt>
        <dd>
          <Link to="/traces" search={{ q, since: '1y' }}>
            {formatCount(count)}
          </Link>
        </dd>
      </div>
      <div title={formatFullTime(first)}>
        <dt>Began</dt>
        <dd>{formatTime(first)}</dd>
      </div>
      <div>
        <dt>Lasted</dt>
        <dd>{formatDuration(lastedMs(totals))}</dd>
      </div>
      <div title={exact(tokens)}>
        <dt>Σ Tokens</dt>
        <dd>{formatAmount(tokens)}</dd>
      </div>
      <div title={exact(costs)}>
        <dt>Σ Cost</dt>
        <dd>{formatCost(costs)}</dd>
      </div>
      {errors > 0 && (
        <div>
          <dt>With errors</dt>
          <dd className={styles.errors}>
            <Link to="/traces" search={{ q: `${q} ${WITH_ERRORS}`, since: '1y' }}>
              {formatCount(errors)}
            </Link>
          </dd>
        </div>
      )}
      {users.slice(0, 3).map(user => (
        <div key={user}>
          <dt>User</dt>
          <dd>
            <Link to="/traces" search={{ q: termOf('user_id', user) }} title={visible(user)}>
              {visible(user)}
            </Link>
          </dd>
        </div>
      ))}
    </dl>
  )
}
