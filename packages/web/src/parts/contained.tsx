import { CatchBoundary } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Failure } from './controls.tsx'

interface ContainedProps {
  /** What is said if it fails. */
  what: string
  /** When this changes, what failed is shown again. */
  of: unknown
  children: ReactNode
}

/** What fails within it is replaced by what went wrong; the rest of the screen, and what was entered there, stays. */
export const Contained = ({ what, of, children }: ContainedProps): ReactNode => (
  <CatchBoundary getResetKey={() => of} errorComponent={({ error }) => <Failure what={what} error={error as Error} />}>
    {children}
  </CatchBoundary>
)
