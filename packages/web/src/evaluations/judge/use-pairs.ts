import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ComparedCase, comparisonQuery, type Run } from '../../api/evaluations.ts'
import { deletePreference, type Pair, type Preference, preferenceIn, savePreference } from '../../api/preferences.ts'
import { annotationsQuery } from '../../api/scores.ts'
import { useLeaveWarning } from '../../parts/use-leave-warning.ts'
import { type Sides, useSides } from '../compare/use-sides.ts'
import { tally } from './tally.ts'

/** The outputs of a repeat of a case, which differ. Repeats of evaluators alone are of the same traces, and one item. */
export interface Item extends Pair {
  id: string
  case_id: string
  sides: Sides
}

export interface Judgements {
  /** The first one without a preference; undefined: there is none, or it is not read yet. */
  item: Item | undefined
  isRead: boolean
  /** How many have a preference, of those that have been read. */
  judged: number
  /** How many cases prefer each. */
  counts: Readonly<Record<Preference, number>>
  /** Cases in which both outputs are the same text. */
  equal: number
  error: Error | undefined
  /** How many preferences of this visit are being stored or deleted. */
  saving: number
  judge: (preference: Preference) => void
  skip: () => void
  /** How many cases were skipped. */
  skipped: number
  /** Shows the skipped ones again. */
  again: () => void
  /** Takes the newest preference of this visit back; undefined: there is none. */
  undo: (() => void) | undefined
}

interface Saved {
  id: string
  preference: Preference
  /** Of the annotation. */
  trace_id: Promise<string>
}

/** So many cases before the last one that was read the next page is read. */
const AHEAD = 5

/** The cases of two runs one after the other, for people who say which output is better. */
export function usePairs(baseline: Run, run: Run): Judgements {
  const comparison = useInfiniteQuery({
    ...comparisonQuery({ baseline_run_id: baseline.id, run_ids: [run.id] }, { run_id: run.id }, false),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const pages = comparison.data?.pages ?? []
  const sidesOf = useSides(baseline, run, pages)
  const cases = pages.flatMap(page => page.cases)
  const stored = useQuery({
    ...annotationsQuery(cases.flatMap(({ candidate }) => candidate.trace_id ?? [])),
    // What is said during this visit is known.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: before => before,
  })
  const [own, setOwn] = useState<readonly Saved[]>([])
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set())
  const [failure, setFailure] = useState<Error>()
  const [saving, setSaving] = useState(0)
  useLeaveWarning(saving > 0)
  const whileSaving = (work: Promise<unknown>, onFailure: (error: Error) => void): void => {
    setSaving(before => before + 1)
    work.catch(onFailure).finally(() => setSaving(before => before - 1))
  }
  const pairs = new Map(cases.flatMap(one => pairOf(one, sidesOf(one)) ?? []).map(pair => [pair.id, pair]))
  const items = [...pairs.values()].filter(pair => !hasEqualOutputs(pair))
  const byId = new Map(own.map(({ id, preference }) => [id, preference]))
  const preferenceOf = (item: Item): Preference | undefined =>
    byId.get(item.id) ?? preferenceIn(stored.data ?? [], item)
  const isKnown = stored.data !== undefined
  const waiting = isKnown ? items.filter(item => preferenceOf(item) === undefined) : []
  const open = waiting.filter(({ id }) => !skipped.has(id))
  const { hasNextPage, isFetching, fetchNextPage } = comparison
  const isLow = isKnown && open.length < AHEAD && hasNextPage && !isFetching
  useEffect(() => {
    if (isLow) void fetchNextPage()
  }, [isLow, fetchNextPage])
  const [item] = open
  const judged = items.flatMap(one => {
    const preference = preferenceOf(one)
    return preference === undefined ? [] : { case_id: one.case_id, preference }
  })
  const last = own.at(-1)
  const drop = (id: string): void => setOwn(before => before.filter(one => one.id !== id))
  return {
    item,
    isRead: comparison.data !== undefined && !hasNextPage && (isKnown || cases.length === 0),
    judged: judged.length,
    counts: tally(judged),
    equal: pairs.size - items.length,
    error: failure ?? comparison.error ?? stored.error ?? undefined,
    saving,
    judge: preference => {
      if (!item) return
      const trace_id = savePreference(item, preference)
      setFailure(undefined)
      setOwn([...own, { id: item.id, preference, trace_id }])
      whileSaving(trace_id, error => {
        setFailure(error)
        drop(item.id)
      })
    },
    skip: () => item && setSkipped(new Set(skipped).add(item.id)),
    skipped: waiting.length - open.length,
    again: () => setSkipped(new Set()),
    undo:
      last &&
      (() => {
        drop(last.id)
        whileSaving(last.trace_id.then(deletePreference), setFailure)
      }),
  }
}

/** Undefined until both outputs are read. */
function pairOf({ baseline: { scenario_id }, testcase_id }: ComparedCase, sides: Sides): Item | undefined {
  const [one, other] = [sides.baseline?.subject, sides.candidate?.subject]
  if (one?.trace_id === undefined || other?.trace_id === undefined) return undefined
  return {
    id: `${one.trace_id}:${other.trace_id}`,
    case_id: scenario_id,
    sides,
    baseline: { trace_id: one.trace_id, ...(one.span_id && { span_id: one.span_id }) },
    run: { trace_id: other.trace_id, ...(other.span_id && { span_id: other.span_id }) },
    testcase_id,
  }
}

/** Of long outputs only the beginnings are known, so they count as different. */
const hasEqualOutputs = ({ sides: { baseline, candidate } }: Item): boolean =>
  baseline?.output === candidate?.output && !baseline?.subject?.outputs_cut && !candidate?.subject?.outputs_cut
