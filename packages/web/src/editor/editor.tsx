import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react'
import styles from './editor.module.css'

const Loaded = lazy(() => import('./code-editor.tsx'))
const LoadedDiff = lazy(() => import('./text-diff.tsx'))

/** A text editor, whose code is loaded when the first one is shown; until then the text itself is. */
export const Editor = (props: ComponentProps<typeof Loaded>): ReactNode => (
  <Suspense fallback={<pre className={styles.waiting}>{props.value}</pre>}>
    <Loaded {...props} />
  </Suspense>
)

export const Diff = (props: ComponentProps<typeof LoadedDiff>): ReactNode => (
  <Suspense fallback={<pre className={styles.waiting}>{props.after}</pre>}>
    <LoadedDiff {...props} />
  </Suspense>
)
