import { lazy, type ReactNode, Suspense } from 'react'
import { visible } from '../../format/format.ts'

const Loaded = lazy(() => import('./loaded-diff.tsx'))

interface DiffTextProps {
  /** Undefined: there is nothing to compare with. */
  before: string | undefined
  after: string
}

/** A text, and in it what differs from another one; the code that compares is loaded when it is first needed. */
export function DiffText({ before, after }: DiffTextProps): ReactNode {
  if (before === undefined) return visible(after)
  return (
    <Suspense fallback={visible(after)}>
      <Loaded before={before} after={after} />
    </Suspense>
  )
}
