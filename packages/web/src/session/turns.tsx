import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { isFailed, type Row } from '../api/queries.ts'
import { type Annotation, scoresOf } from '../api/scores.ts'
import { formatCost, formatDuration, formatFullTime, formatTime, spanName, visible } from '../format/format.ts'
import { Button } from '../parts/controls.tsx'
import { Scores } from '../parts/scores.tsx'
import { VirtualList } from '../parts/scroller.tsx'
import { Said, useSaid } from '../trace/conversation.tsx'
import { turnId } from './queries.ts'
import styles from './session.module.css'
import { Steps } from './steps.tsx'

interface TurnsProps {
  turns: readonly Row[]
  /** How many turns the session has before them. */
  earlier: number
  selected: number
  select: (at: number) => void
  scores: ReadonlyMap<string, Annotation[]>
  /** The trace whose steps are shown. */
  steps: string | undefined
  toggle: (turn: Row) => void
}

/** The turns on the left, and on the right what they say, as one conversation. */
export function Turns({ turns, earlier, selected, select, scores, steps, toggle }: TurnsProps): ReactNode {
  const list = useRef<HTMLOListElement>(null)
  const keyOf = useCallback((at: number) => (turns[at] ? turnId(turns[at]) : at), [turns])
  useEffect(() => {
    // Browsers may return a promise, which React would take for the effect's end.
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  return (
    <div className={styles.body}>
      <ol ref={list} className={styles.turns} aria-label="Turns">
        {turns.map((turn, at) => (
          <li key={turnId(turn)}>
            <button type="button" aria-current={at === selected || undefined} onClick={() => select(at)}>
              <span className={styles.turnLine}>
                <strong>{earlier + at + 1}</strong>
                <span title={formatFullTime(turn.start_time)}>{formatTime(turn.start_time)}</span>
                <span>{formatDuration(turn.duration)}</span>
                <span>{formatCost(turn.costs)}</span>
                {isFailed(turn) && <span className={styles.errors}>✕ error</span>}
              </span>
              <span className={styles.preview}>
                <bdi>{turn.inputs ? visible(turn.inputs) : spanName(turn.span_name)}</bdi>
              </span>
              <Scores scores={scoresOf(scores.get(turn.trace_id) ?? []).slice(0, 3)} />
            </button>
          </li>
        ))}
      </ol>
      <VirtualList
        label="Conversation"
        className={styles.talk}
        itemClass={styles.turn}
        count={turns.length}
        keyOf={keyOf}
        estimatedPx={180}
        chosen={selected}
        align="start"
      >
        {at => {
          const turn = turns[at] as Row
          return (
            <Turn
              turn={turn}
              number={earlier + at + 1}
              isSelected={at === selected}
              annotations={scores.get(turn.trace_id) ?? []}
              showsSteps={steps === turn.trace_id}
              toggle={() => toggle(turn)}
            />
          )
        }}
      </VirtualList>
    </div>
  )
}

interface TurnProps {
  turn: Row
  number: number
  isSelected: boolean
  annotations: readonly Annotation[]
  showsSteps: boolean
  toggle: () => void
}

function Turn({ turn, number, isSelected, annotations, showsSteps, toggle }: TurnProps): ReactNode {
  const { trace_id, span_id, start_time, duration, costs } = turn
  const said = useSaid(trace_id, span_id, duration)
  return (
    <article
      data-selected={isSelected || undefined}
      data-error={isFailed(turn) || undefined}
      aria-label={`Turn ${number}`}
    >
      <header>
        <strong>{number}</strong>
        <span>
          {formatTime(start_time)} · {formatDuration(duration)} · {formatCost(costs)}
        </span>
        {isFailed(turn) && <span className={styles.errors}>✕ error</span>}
        <Scores scores={scoresOf(annotations)} />
        <span className={styles.space} />
        <Button look="plain" aria-expanded={showsSteps} onClick={toggle}>
          Steps
        </Button>
        <Link to="/traces/$traceId" params={{ traceId: trace_id }}>
          Open the trace
        </Link>
      </header>
      <Said {...said} />
      {showsSteps && <Steps traceId={trace_id} />}
    </article>
  )
}
