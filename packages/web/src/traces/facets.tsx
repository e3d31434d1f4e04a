import { useQuery } from '@tanstack/react-query'
import type { MouseEvent, ReactNode } from 'react'
import { type FacetCounts, facetsQuery } from '../api/queries.ts'
import { exact, formatCount, spanName, visible } from '../format/format.ts'
import { Failure } from '../parts/controls.tsx'
import { TypeIcon } from '../parts/type-icon.tsx'
import { hasTerm, termOf, toggleTerm } from './filter-text.ts'
import type { Change } from './search.ts'
import styles from './traces.module.css'
import type { List } from './use-list.ts'

interface FacetsProps {
  list: List
  text: string
  change: Change
}

const TITLES: Readonly<Record<string, string>> = {
  span_type: 'Type',
  trace_type: 'Kind',
  span_name: 'Name',
  status_code: 'Status',
  user_id: 'User',
  session_id: 'Session',
  agent_id: 'Agent',
}

/** The most frequent values; a click includes one, with Alt it is excluded. */
export function Facets({ list, text, change }: FacetsProps): ReactNode {
  const { body, isSettled } = list
  const { data, error, isPlaceholderData } = useQuery({ ...facetsQuery(body), enabled: isSettled })
  const facets = data?.facets.filter(({ values }) => values.length > 0) ?? []
  return (
    <aside className={styles.facets} aria-label="Values to filter by" data-stale={isPlaceholderData || undefined}>
      {error && <Failure what="The values cannot be counted." error={error} />}
      {facets.map(facet => (
        <Facet key={facet.field} facet={facet} text={text} change={change} />
      ))}
      {facets.length > 0 && <p className={styles.hint}>Alt-click excludes.</p>}
    </aside>
  )
}

function Facet({
  facet,
  text,
  change,
}: Omit<FacetsProps, 'list'> & { facet: FacetCounts['facets'][number] }): ReactNode {
  return (
    <section>
      <h2>{TITLES[facet.field] ?? facet.field}</h2>
      <ul>
        {facet.values.map(({ value, count }) => {
          const term = termOf(facet.field, value)
          const toggle = (event: MouseEvent): void =>
            change({ q: toggleTerm(text, event.altKey ? `-${term}` : term) || undefined })
          return (
            <li key={value}>
              <button type="button" aria-pressed={hasTerm(text, term)} onClick={toggle} title={visible(value)}>
                {facet.field === 'span_type' && <TypeIcon type={value} />}
                <span className={styles.value}>{labelOf(facet.field, value)}</span>
                <span className={styles.number} title={exact(count)}>
                  {formatCount(count)}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function labelOf(field: string, value: string): string {
  if (field === 'status_code') return value.replace('STATUS_CODE_', '').toLowerCase()
  return field === 'span_name' ? spanName(value) : visible(value)
}
