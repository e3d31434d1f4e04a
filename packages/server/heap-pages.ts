import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** How much smaller the heap has become when its pages are given back; less is soon needed again. */
const EXCESS_BYTES = 96 * 1024 * 1024
const LOOK_EVERY_MS = 250

/**
 * Gives memory back that the heap of the main thread has needed once. V8 keeps the pages of a heap that has become smaller
 * for its next growth, all of them and for ever, so a process would hold what its largest request took. Only a collection that
 * is to save memory gives them back; the next one becomes such a collection, and those after it are as usual, since saving
 * always would cost half as much processor time again (see DECISIONS.md).
 */
export function giveBackHeapPages(): void {
  let peakBytes = 0
  let isSaving = false
  const look = (): void => {
    const bytes = heapBytes()
    peakBytes = Math.max(peakBytes, bytes)
    if (isSaving || peakBytes - bytes < EXCESS_BYTES) return
    isSaving = true
    setFlagsFromString('--memory-saver-mode')
  }
  const collected = new PerformanceObserver(list => {
    const isMajor = list.getEntries().some(entry => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR)
    if (!isSaving || !isMajor) return
    isSaving = false
    setFlagsFromString('--no-memory-saver-mode')
    peakBytes = heapBytes()
  })
  collected.observe({ entryTypes: ['gc'] })
  setInterval(look, LOOK_EVERY_MS).unref()
}

const heapBytes = (): number => getHeapStatistics().total_heap_size

const kindOf = (entry: PerformanceEntry): number => (entry as unknown as { detail: { kind: number } }).detail.kind
