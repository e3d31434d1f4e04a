import type { ReactNode } from 'react'
import styles from './settings.module.css'

/** Says why the controls below are off. */
export const Refusal = ({ children }: { children: string | undefined }): ReactNode =>
  children === undefined ? null : (
    <p className={styles.refusal} role="note">
      {children}
    </p>
  )
