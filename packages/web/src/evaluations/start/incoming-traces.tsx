import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { Group, ListBody } from '../../api/filtering.ts'
import { countQuery } from '../../api/queries.ts'
import { formatCount, formatNumberOf } from '../../format/format.ts'
import { controls } from '../../parts/controls.tsx'
import type { ChangeOf } from '../../parts/use-change-of.ts'
import { useTyped } from '../../parts/use-typed.ts'
import { FilterLine } from '../../traces/filter-line.tsx'
import { allOf, FilterError, parseFilterText } from '../../traces/filter-text.ts'
import { useBody } from '../../traces/use-body.ts'
import { RATE_MAX, RATE_MIN, type StartSearch } from '../search.ts'
import styles from './start.module.css'

/** A live evaluation takes no traces of evaluators, whose traces it would evaluate again. */
const textOf = (q: string | undefined): string => allOf(['kind:invocation', q])

/** The filter of a live evaluation; undefined for a text that is none. */
export function filterOf(q: string | undefined): Group | undefined {
  try {
    return parseFilterText(textOf(q))
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

interface IncomingTracesProps {
  search: StartSearch
  change: ChangeOf<StartSearch>
}

/** Which of the traces that arrive are evaluated, and how many those would have been in the last day. */
export function IncomingTraces({ search, change }: IncomingTracesProps): ReactNode {
  const { rate = RATE_MAX } = search
  const { body, error } = useBody({ q: textOf(search.q), since: '24h' })
  const typed = useTyped(String(rate), text => change({ rate: Number(text) || undefined }))
  const id = useId()
  return (
    <fieldset className={styles.traces}>
      <legend>Traces</legend>
      <p className={styles.about}>
        Traces that arrive from now on and whose root matches; without a filter, all of them.
      </p>
      <FilterLine text={search.q ?? ''} error={error} change={change} window={body?.windowing} />
      <p className={styles.rate}>
        <label htmlFor={id}>Percent evaluated</label>
        <input
          id={id}
          className={`${controls.input} ${styles.number}`}
          type="number"
          min={RATE_MIN}
          max={RATE_MAX}
          step="any"
          {...typed}
        />
        {body && !error && <Expected body={body} rate={rate} />}
      </p>
    </fieldset>
  )
}

function Expected({ body, rate }: { body: ListBody; rate: number }): ReactNode {
  const { data, error } = useQuery(countQuery(body, 1))
  if (error) return <output>Not counted: {error.message}</output>
  if (data === undefined) return null
  const share = Math.round((data.count * rate) / 100)
  return (
    <output>
      {formatNumberOf(data.count, 'trace')} of the last 24 hours {data.count === 1 ? 'matches' : 'match'}
      {rate < RATE_MAX && `; about ${formatCount(share)} would have been evaluated`}.
    </output>
  )
}
