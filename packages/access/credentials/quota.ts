import { isJsonObject, type JsonObject } from '@spanhouse/model'
import { optional, recordOf, z } from '@spanhouse/validation'

const RATE_MAX = 1_000_000
const KEYS_MAX = 1_000

const rate = optional(z.int().min(1).max(RATE_MAX))

const quota = z.object({
  requests_per_second: rate,
  spans_per_second: rate,
})

/** How much a project or a key may ask of each process; what is absent is not limited. */
export type Quota = z.output<typeof quota>

/** `PUT /projects/current/quotas`: that of the project, and those of its keys by their prefix. */
export const quotasBody = z.object({ project: quota, keys: optional(recordOf(quota, { max: KEYS_MAX })) })
export type Quotas = z.output<typeof quotasBody>

/** A stored quota; undefined if there is none. */
export const readQuota = (stored: JsonObject | null): Quota | undefined =>
  isJsonObject(stored) ? (stored as unknown as Quota) : undefined
