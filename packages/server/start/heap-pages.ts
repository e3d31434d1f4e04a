import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** How much the heap must have shrunk before its pages are released; less is soon needed again. */
const EXCESS_BYTES = 96 * 1024 * 1024
const LOOK_EVERY_MS = 250

/**
 * Releases memory that the heap of the main thread no longer needs. V8 keeps all pages of a heap that has shrunk for
 * its next growth, indefinitely, so a process would keep the memory of its largest request. Only a memory-reducing
 * collection releases them. This makes the next collection such a one; later ones are normal, since reducing memory
 * every time would cost half as much processor time again (see DECISIONS.md).
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
