import { defined } from '@spanhouse/model'
import { isHuman, type Step } from './run-data.ts'

/** Every flag of a run, in the order in which they are shown. */
export const RUN_FLAGS = [
  'is_live',
  'is_active',
  'is_closed',
  'is_queue',
  'is_cached',
  'is_split',
  'has_queries',
  'has_testsets',
  'has_traces',
  'has_testcases',
  'has_evaluators',
  'has_custom',
  'has_human',
  'has_auto',
] as const
export type RunFlag = (typeof RUN_FLAGS)[number]
export type RunFlags = Record<RunFlag, boolean>

/** All flags, false where nothing is said. */
export const allFlags = (given: Partial<RunFlags> = {}): RunFlags =>
  Object.fromEntries(RUN_FLAGS.map(flag => [flag, given[flag] ?? false])) as RunFlags

const isInput = ({ type }: Step): boolean => type === 'input'
const isAnnotation = ({ type }: Step): boolean => type === 'annotation'
const refersTo =
  (key: string) =>
  (step: Step): boolean =>
    isInput(step) && Object.hasOwn(step.references, key)
const isDirect =
  (...keys: string[]) =>
  (step: Step): boolean =>
    isInput(step) && Object.keys(step.references).length === 0 && keys.includes(step.key)
const isBy =
  (origin: Step['origin']) =>
  (step: Step): boolean =>
    isAnnotation(step) && step.origin === origin

/** The flags that follow from the steps: each is true when some step is so. */
const DERIVED = {
  has_queries: refersTo('query_revision'),
  has_testsets: refersTo('testset_revision'),
  has_traces: isDirect('traces', 'query-direct'),
  has_testcases: isDirect('testcases', 'testset-direct'),
  has_evaluators: isAnnotation,
  has_custom: isBy('custom'),
  has_human: isBy('human'),
  has_auto: isBy('auto'),
} satisfies Partial<Record<RunFlag, (step: Step) => boolean>>

export const flagsOfSteps = (steps: readonly Step[]): Pick<RunFlags, keyof typeof DERIVED> =>
  Object.fromEntries(Object.entries(DERIVED).map(([flag, is]) => [flag, steps.some(is)])) as Pick<
    RunFlags,
    keyof typeof DERIVED
  >

/**
 * The flags of a run after a write: those that were sent replace stored ones, and if its steps are known, others follow
 * from them. Flags that the server decides are ignored: `is_queue` always, `is_closed` if it would open the run.
 */
export function writtenFlags(stored: RunFlags, sent: Partial<RunFlags> = {}, steps?: readonly Step[]): RunFlags {
  const given = defined(sent)
  // A run with a human step has its default queue from the same write on.
  const is_queue = steps ? steps.some(isHuman) : stored.is_queue
  const merged = { ...stored, ...given, ...(steps && flagsOfSteps(steps)), is_queue }
  const is_closed = stored.is_closed || merged.is_closed
  return { ...merged, is_closed, is_active: merged.is_active && !is_closed }
}
