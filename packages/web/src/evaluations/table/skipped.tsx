import type { ReactNode } from 'react'
import { formatNumberOf } from '../../format/format.ts'
import { Button } from '../../parts/controls.tsx'

/** What is said at the end of cases of which some were skipped: they wait all the same. */
export const Skipped = ({ count, again }: { count: number; again: () => void }): ReactNode => (
  <p>
    You skipped {formatNumberOf(count, 'case')}. <Button onClick={again}>Show them again</Button>
  </p>
)
