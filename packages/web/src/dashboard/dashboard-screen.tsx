import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FilterLine } from '../traces/filter-line.tsx'
import { Period } from '../traces/period.tsx'
import { useBody } from '../traces/use-body.ts'
import styles from './dashboard.module.css'
import type { Shown } from './shown.ts'
import { Tables } from './tables.tsx'
import { Tiles } from './tiles.tsx'

/** Traffic, errors, durations, tokens and cost of the traces in a window, over time and by what they have in common. */
export function DashboardScreen(): ReactNode {
  const search = useSearch({ from: '/dashboard' })
  const navigate = useNavigate({ from: '/dashboard' })
  const change: Shown['change'] = (changes, { replace = false } = {}) =>
    void navigate({ search: before => ({ ...before, ...changes }), replace })
  const { body, error } = useBody(search)
  return (
    <div className={styles.screen}>
      <h1 className={styles.title}>Dashboard</h1>
      <FilterLine text={search.q ?? ''} error={error} change={change} window={body?.windowing} />
      <div className={styles.toolbar}>
        <Period search={search} change={change} />
        <span className={styles.hint}>Drag to zoom; click to open the rows.</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div className={styles.scroller} tabIndex={0} role="region" aria-label="Figures">
        {body && <Tiles body={body} search={search} change={change} />}
        {body && <Tables body={body} search={search} change={change} />}
      </div>
    </div>
  )
}
