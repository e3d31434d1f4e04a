import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import type { Queue, Run } from '../../api/evaluations.ts'
import {
  type AnnotationPlace,
  deleteAnnotation,
  fillCell,
  queueProgressQuery,
  refreshMetrics,
  storeAnnotation,
  undoAnnotation,
} from '../../api/queues.ts'
import { type JsonObject, randomHex } from '../../api/registry/registry.ts'
import { useLeaveWarning } from '../../parts/use-leave-warning.ts'
import { modelOf } from '../table/case-model.ts'
import { removeDraft, writeDraft } from './drafts.ts'
import { type Field, valuesIn } from './fields.ts'
import { humanSteps, type Item, readItems } from './worklist.ts'

/** Outputs by the key of the evaluator's step. */
export type Outputs = Readonly<Record<string, JsonObject>>

/** An annotation that its cell refers to. */
interface Stored {
  place: AnnotationPlace
  trace_id: string
}

interface Saved {
  item: Item
  outputs: Outputs
  /** Resolves with the traces that were made, once all is stored. */
  done: Promise<Stored[]>
}

interface QueueParts {
  queue: Queue
  run: Run
  user_id: string
}

export interface Worklist {
  /** The case to annotate; undefined: there is none, or it is not read yet. */
  item: Item | undefined
  /** What follows it, to be read ahead. */
  next: Item | undefined
  isRead: boolean
  done: number
  total: number
  /** How many annotations are on their way to the server. */
  saving: number
  error: Error | undefined
  /**
   * Shows the next case at once and saves in the background; a case that cannot be saved is offered again at the end.
   */
  save: (outputs: Outputs) => void
  skip: () => void
  /** How many cases were skipped and not saved later. */
  skipped: number
  /** Offers the skipped ones again, after all others. */
  again: () => void
  /** Takes the newest annotation back and shows it as a draft; undefined: there is none. */
  undo: (() => void) | undefined
}

/** So many cases before the end the next page is read. */
const AHEAD = 8
const RETRY_MS = 1_000

/** The cases of a queue one after the other. */
export function useQueue(parts: QueueParts, fieldsOf: (stepKey: string) => readonly Field[]): Worklist {
  const list = useInfiniteQuery({
    queryKey: ['worklist', parts.queue.id, parts.user_id],
    initialPageParam: undefined as object | undefined,
    queryFn: ({ pageParam, signal }) => readItems(parts, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    structuralSharing: false,
    // What was annotated must not be offered again, nor move the list while it is worked on.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { data: progress } = useQuery({
    ...queueProgressQuery(parts.queue.id),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [at, setAt] = useState(0)
  const [history, setHistory] = useState<readonly Saved[]>([])
  /** Cases that could not be saved, or were skipped: offered once more. */
  const [returned, setReturned] = useState<readonly Item[]>([])
  const [saving, setSaving] = useState(0)
  const [failure, setFailure] = useState<Error>()
  const { hasNextPage, isFetching, fetchNextPage } = list
  const items = [...(list.data?.pages.flatMap(page => page.items) ?? []), ...(hasNextPage ? [] : returned)]
  const isLow = items.length - at < AHEAD && hasNextPage && !isFetching
  useEffect(() => {
    if (isLow) void fetchNextPage()
  }, [isLow, fetchNextPage])
  useLeaveWarning(saving > 0)

  /** What was taken back, perhaps before all of it was stored. */
  const undone = useRef(new WeakSet<Saved>())
  // One after the other: a case that is saved again while it is taken back must not be taken back last.
  const before = useRef<Promise<unknown>>(Promise.resolve())
  /** Cases whose metrics are computed when nothing is being saved, also after the page was left. */
  const unmeasured = useRef(new Set<string>())
  const measure = (): void => {
    const scenario_ids = [...unmeasured.current]
    unmeasured.current.clear()
    if (scenario_ids.length === 0) return
    // Of a closed run, for example. The next refresh, of whomever, computes them.
    refreshMetrics(parts.run.id, scenario_ids).catch(() => undefined)
  }
  const inBackground = <T>({ row }: Item, work: () => Promise<T>): Promise<T> => {
    setSaving(count => count + 1)
    const done = before.current.then(work).finally(() => setSaving(count => count - 1))
    const settled = done.then(
      () => unmeasured.current.add(row.scenario_id),
      () => undefined,
    )
    before.current = settled
    settled.then(() => before.current === settled && measure())
    return done
  }
  const save = (outputs: Outputs): void => {
    const item = items[at]
    if (!item) return
    const saved: Saved = { item, outputs, done: inBackground(item, () => saveAll(parts.run, item, outputs)) }
    const giveBack = (error: Error): void => {
      setFailure(error)
      if (undone.current.has(saved)) return
      setHistory(others => others.filter(one => one !== saved))
      setReturned(others => [...others, item])
    }
    saved.done.then(() => undone.current.has(saved) || removeDraft(item.id), giveBack)
    setFailure(undefined)
    setHistory([...history, saved])
    setAt(at + 1)
  }
  const last = history.at(-1)
  const undo = (): void => {
    if (!last) return
    const drafts = Object.entries(last.outputs).map(([key, output]) => [key, valuesIn(fieldsOf(key), output)])
    undone.current.add(last)
    // What was not saved needs not be taken back, and has said so.
    const back = inBackground(last.item, async () => {
      for (const { place, trace_id } of await last.done.catch(() => []))
        await retrying(() => undoAnnotation(place, trace_id))
    })
    back.catch(setFailure)
    writeDraft(last.item.id, Object.fromEntries(drafts))
    setHistory(history.slice(0, -1))
    setAt(items.findLastIndex(({ id }) => id === last.item.id))
  }
  const saved = new Set(history.map(({ item }) => item.id))
  const skipped = [...new Map(items.slice(0, at).map(item => [item.id, item])).values()].filter(
    ({ id }) => !saved.has(id),
  )
  const own = progress?.assignees.filter(({ user_id }) => user_id === undefined || user_id === parts.user_id) ?? []
  const sum = (of: 'scenarios' | 'done'): number => own.reduce((total, share) => total + share[of], 0)
  return {
    item: items[at],
    next: items[at + 1],
    isRead: list.data !== undefined && !(items[at] === undefined && hasNextPage),
    done: sum('done') + history.length,
    total: sum('scenarios'),
    saving,
    error: failure ?? list.error ?? undefined,
    save,
    skip: () => setAt(Math.min(at + 1, items.length)),
    skipped: skipped.length,
    again: () => setReturned([...returned, ...skipped]),
    undo: last && undo,
  }
}

/** Stores all that is said of a case; if something cannot be stored, nothing of it stays. */
async function saveAll(run: Run, item: Item, outputs: Outputs): Promise<Stored[]> {
  const saved: Stored[] = []
  let unused: string | undefined
  try {
    for (const step of humanSteps(run)) {
      const output = outputs[step.key]
      if (output === undefined) continue
      const place = placeOf(run, item, step)
      // Each request is repeated by itself: a cell that cannot be reached must not make a second annotation. Nor must a
      // response that was lost.
      const key = randomHex(32)
      const trace_id = await retrying(() => storeAnnotation(place, output, key))
      unused = trace_id
      await retrying(() => fillCell(place, trace_id))
      unused = undefined
      saved.push({ place, trace_id })
    }
    return saved
  } catch (error) {
    if (unused !== undefined) await deleteAnnotation(unused).catch(() => undefined)
    for (const { place, trace_id } of saved) await undoAnnotation(place, trace_id).catch(() => undefined)
    throw error
  }
}

/** Failures that pass are tried again. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isPassing) throw error
      await new Promise(resolve => setTimeout(resolve, error.retryAfterMs ?? RETRY_MS))
    }
}

function placeOf(run: Run, { row, repeat_idx }: Item, step: ReturnType<typeof humanSteps>[number]): AnnotationPlace {
  const { subject } = modelOf(run, row, [])
  const { testcase_id } = row
  return {
    run_id: run.id,
    scenario_id: row.scenario_id,
    step_key: step.key,
    repeat_idx,
    references: { ...step.references, ...(testcase_id && { testcase: { id: testcase_id } }) },
    ...(testcase_id && { testcase_id }),
    ...(subject?.trace_id && subject.span_id && { subject: { trace_id: subject.trace_id, span_id: subject.span_id } }),
  }
}
