import { useEffect, useState } from 'react'
import { ApiError } from './api-error.ts'
import { events } from './client.ts'
import { noteEnd, noteFailure } from './connection.ts'
import { isGoingOn, type Run, type RunProgress } from './evaluations.ts'

const RETRY_MS = 2_000

/**
 * How far a run is, followed by its events for as long as the component is shown and the run goes on; again when it goes
 * on again. A connection that breaks is opened again. Undefined until the first event.
 */
export function useRunProgress(run: Run): RunProgress | undefined {
  const [progress, setProgress] = useState<RunProgress>()
  const { id: runId } = run
  const isGoing = isGoingOn(run)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the events of a run that has ended end, and begin again
  useEffect(() => {
    const abort = new AbortController()
    void follow(runId, abort.signal, setProgress)
    return () => {
      abort.abort()
      noteEnd(abort.signal)
    }
  }, [runId, isGoing])
  return progress?.run_id === runId ? progress : undefined
}

async function follow(runId: string, signal: AbortSignal, tell: (progress: RunProgress) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of events(`/evaluations/runs/${encodeURIComponent(runId)}/events`, signal)) {
        noteEnd(signal)
        if (event === 'progress') tell(JSON.parse(data) as RunProgress)
        if (event === 'end') return
      }
    } catch (error) {
      if (signal.aborted) return
      // Without the run there is nothing to follow; everything else passes.
      if (error instanceof ApiError && !error.isPassing) return noteEnd(signal)
      noteFailure(signal, error)
    }
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}
