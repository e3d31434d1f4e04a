import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { controls } from '../parts/controls.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import { FilterLine } from '../traces/filter-line.tsx'
import { Period } from '../traces/period.tsx'
import { useBody } from '../traces/use-body.ts'
import styles from './dashboard.module.css'
import { OwnTiles } from './own-tiles.tsx'
import type { DashboardSearch } from './search.ts'
import { Tables } from './tables.tsx'
import { Tiles } from './tiles.tsx'

/** Traffic, errors, durations, tokens and cost of the traces in a window, over time and by what they have in common. */
export function DashboardScreen(): ReactNode {
  const search = useSearch({ from: '/dashboard' })
  const change = useChangeOf<DashboardSearch>()
  const { body, error } = useBody(search)
  return (
    <div className={styles.screen} data-report>
      <h1 className={controls.hidden}>Dashboard</h1>
      <FilterLine text={search.q ?? ''} error={error} change={change} window={body?.windowing} />
      <div className={styles.toolbar}>
        <Period search={search} change={change} />
        <span className={styles.hint}>Drag to zoom; click to open the rows.</span>
      </div>
      <Scroller className={styles.scroller} label="Figures">
        {body && (
          <Tiles {...{ body, search, change }}>
            <OwnTiles {...{ body, search, change }} />
          </Tiles>
        )}
        {body && <Tables body={body} search={search} change={change} />}
      </Scroller>
    </div>
  )
}
