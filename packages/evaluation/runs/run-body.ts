import { optional, uuid, z } from '@spanhouse/validation'
import { header, labels, status } from '../entities/fields.ts'
import { RUN_FLAGS, type RunFlag } from './flags.ts'
import { runData } from './run-data.ts'

const flag = optional(z.boolean())

/** Flags of a run as clients send them: any of the fourteen. */
export const runFlags = z.object(
  Object.fromEntries(RUN_FLAGS.map(name => [name, flag])) as Record<RunFlag, typeof flag>,
)

/** A run that is to be made. */
export const newRun = z.object({
  ...header,
  ...labels,
  status: optional(status),
  flags: optional(runFlags),
  data: optional(runData),
})
export type NewRun = z.output<typeof newRun>

/** What is to be changed of a run: what is left out or null stays as it is. */
export const runEdit = z.object({ id: uuid, ...newRun.shape })
export type RunEdit = z.output<typeof runEdit>
