import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import styles from './frame.module.css'

export const NotFound = (): ReactNode => (
  <div className={styles.page}>
    <h1>This page does not exist</h1>
    <p>
      The address may be mistyped. Go to the <Link to="/traces">list of traces</Link>.
    </p>
  </div>
)
