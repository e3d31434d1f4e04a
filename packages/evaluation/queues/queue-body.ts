import { list, optional, uuid, z } from '@spanhouse/validation'
import { header, int32, labels, REPEATS_MAX, STEPS_MAX, status } from '../entities/fields.ts'

/** Who works on each repeat: the outer index is the repeat. */
export const assignments = list(list(uuid), { max: REPEATS_MAX })

/** How scenarios are dealt out by position. */
export const batchSize = int32.min(1)
export const batchOffset = int32.min(0)

const data = z.object({
  user_ids: optional(assignments),
  scenario_ids: optional(list(uuid)),
  step_keys: optional(list(z.string(), { max: STEPS_MAX })),
  batch_size: optional(batchSize),
  batch_offset: optional(batchOffset),
})

const flag = optional(z.boolean())
const members = {
  ...header,
  ...labels,
  status: optional(status),
  flags: optional(z.object({ is_sequential: flag, is_default: flag })),
  data: optional(data),
}

/** A queue that is to be made. */
export const newQueue = z.object({ run_id: uuid, ...members })
export type NewQueue = z.output<typeof newQueue>

/** What is to be changed of a queue: what is left out or null stays as it is. */
export const queueEdit = z.object({ id: uuid, ...members })
export type QueueEdit = z.output<typeof queueEdit>
