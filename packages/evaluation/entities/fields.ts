import { FAULTS, microsToIso, parseUuid } from '@spanhouse/model'
import { nearestTime, optional, storedObject, time, z } from '@spanhouse/validation'

/** The schema version that every record bears. */
export const VERSION = '2025-07-14'

/** What a run, a scenario, a cell, a row of metrics and a queue can be. */
export const STATUSES = ['pending', 'queued', 'running', 'success', 'failure', 'errors', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]
export const status = z.enum(STATUSES)

/** Repeats of a run at most. */
export const REPEATS_MAX = 1_000
/** Steps of a run at most. */
export const STEPS_MAX = 1_000

const INT32_MAX = 2 ** 31 - 1
/** An integer that fits its column. */
export const int32 = z.int().min(-INT32_MAX).max(INT32_MAX)

/** A time as it is stored: ISO 8601 text in UTC. */
export const isoTime = time.transform(microsToIso)

/** A time that is looked for, in the same form. */
export const soughtTime = nearestTime.transform(microsToIso)

/** Free-form labels of a record. */
export const labels = { tags: optional(storedObject), meta: optional(storedObject) }

export const header = { name: optional(z.string()), description: optional(z.string()) }

/** A trace id with dashes or without, as the UUID that cells are stored and shown with. */
export const traceId = z
  .string()
  .transform((text, context) => {
    const id = parseUuid(text)
    if (id === null) context.addIssue({ code: 'custom', params: { type: FAULTS.uuid[0] }, message: FAULTS.uuid[1] })
    return id as string
  })
  .meta({ description: '32 hex digits, with the dashes of a UUID or without.' })

/** Who executes a step. */
export const origin = z.enum(['custom', 'human', 'auto'])
export type Origin = z.output<typeof origin>
