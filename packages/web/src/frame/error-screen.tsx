import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { Button, Failure } from '../parts/controls.tsx'
import styles from './frame.module.css'
import { isMissingFile, isServerThere, mayReload } from './missing-file.ts'

/** What is shown in place of a screen that cannot be loaded, or that failed. */
export function ErrorScreen({ error: thrown, reset }: ErrorComponentProps): ReactNode {
  const error = thrown as Error
  return (
    <div className={styles.page}>
      {isMissingFile(error) ? <NotLoaded error={error} /> : <Failed error={error} reset={reset} />}
    </div>
  )
}

/** How often a server that is away is asked whether it is back. */
const LOOK_MS = 2_000

/** Reloads the page, the first time by itself, but only when the server is there to answer. */
function NotLoaded({ error }: { error: Error }): ReactNode {
  const [isThere, setIsThere] = useState<boolean>()
  const reload = async (isWanted: () => boolean): Promise<void> => {
    const answers = await isServerThere()
    if (answers && isWanted()) location.reload()
    else setIsThere(answers)
  }
  const begin = useEffectEvent(() => void reload(() => mayReload(error)))
  useEffect(() => begin(), [])
  useEffect(() => {
    if (isThere !== false) return
    const timer = setInterval(begin, LOOK_MS)
    return () => clearInterval(timer)
  }, [isThere])
  return (
    <>
      <h1>This screen cannot be loaded</h1>
      <p role="status">
        {isThere === false && 'The server cannot be reached. The screen opens when it is back.'}
        {isThere === true &&
          'Its files are missing on the server, which may be in the middle of an upgrade. Try again in a moment.'}
      </p>
      <Button look="primary" onClick={() => reload(() => true)}>
        Try again
      </Button>
    </>
  )
}

function Failed({ error, reset }: { error: Error; reset: () => void }): ReactNode {
  const tryAgain = (): void => {
    // What it could not show is read again.
    queryClient.removeQueries({ type: 'inactive' })
    reset()
  }
  return (
    <>
      <h1>An error occurred in this screen</h1>
      <Failure what="The error:" error={error} />
      <p>
        <Button look="primary" onClick={tryAgain}>
          Try again
        </Button>{' '}
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </p>
    </>
  )
}
