import { list, optional, uuid, z } from '@spanhouse/validation'
import { header, labels, REPEATS_MAX, STEPS_MAX, status } from '../entities/fields.ts'
import { assignments, batchOffset, batchSize } from '../queues/queue-body.ts'
import { type Targets, targets } from './graph.ts'

/** What a queue's scenarios come from; the first two are posted to it, the others name revisions. */
export const QUEUE_KINDS = ['traces', 'testcases', 'queries', 'testsets'] as const
export type QueueKind = (typeof QUEUE_KINDS)[number]

/** Where a list is sent for a kind: the texts are part of the interface. */
const LISTED = [
  { kind: 'queries', noun: 'query' },
  { kind: 'testsets', noun: 'testset' },
] as const

const REVISIONS_MAX = 100
const revisions = optional(list(uuid, { max: REVISIONS_MAX }))

const data = z
  .object({
    kind: optional(z.enum(QUEUE_KINDS)),
    queries: revisions,
    testsets: revisions,
    evaluators: optional(targets('human')),
    repeats: optional(z.int().min(1).max(REPEATS_MAX)),
    assignments: optional(assignments),
    step_keys: optional(list(z.string(), { max: STEPS_MAX })),
    settings: optional(z.object({ batch_size: optional(batchSize), batch_offset: optional(batchOffset) })),
  })
  .superRefine((body, context) => {
    const refusal = refusalOf(body)
    if (refusal)
      context.addIssue({ code: 'custom', params: { type: 'value_error' }, message: `Value error, ${refusal}` })
  })

/** Why a source or the evaluators make no queue. */
function refusalOf(body: {
  kind?: QueueKind
  queries?: string[]
  testsets?: string[]
  evaluators?: Targets
}): string | undefined {
  const { kind, evaluators } = body
  const has = (name: 'queries' | 'testsets'): boolean => (body[name]?.length ?? 0) > 0
  if (has('queries') && has('testsets')) return 'simple queue source must be either queries or testsets'
  if (kind === undefined && !has('queries') && !has('testsets'))
    return 'simple queue requires kind, queries, or testsets'
  const other = LISTED.find(({ kind: own }) => has(own) && kind !== undefined && kind !== own)
  if (other) return `${other.noun}-backed queues must use kind='${other.kind}'`
  const lacking = LISTED.find(({ kind: own }) => kind === own && !has(own))
  if (lacking) return `kind='${lacking.kind}' requires ${lacking.noun} sources`
  if (evaluators && evaluators.size > 0 && ![...evaluators.values()].includes('human'))
    return 'simple queues must have at least one human evaluator'
  return undefined
}

/** A queue with the run below it. */
export const newSimpleQueue = z.object({ ...header, ...labels, status: optional(status), data: optional(data) })
export type NewSimpleQueue = z.output<typeof newSimpleQueue>
