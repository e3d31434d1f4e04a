import type { Json, JsonObject } from '@spanhouse/model'
import { list, optional, recordOf, reference, storedObject, z } from '@spanhouse/validation'
import { origin, REPEATS_MAX, STEPS_MAX } from '../entities/fields.ts'

const REFERENCES_MAX = 100

/** The type of a step, its executor and its references. */
export const step = z.object({
  key: z.string(),
  type: z.enum(['input', 'invocation', 'annotation']),
  origin,
  references: optional(recordOf(reference, { max: REFERENCES_MAX })).transform(given => given ?? {}),
  inputs: optional(list(z.object({ key: z.string() }), { max: STEPS_MAX })),
  schemas: optional(z.object({ outputs: optional(storedObject) })),
})

export type Step = z.output<typeof step>

const column = z.object({ kind: z.string(), name: z.string() })
const place = z.object({ key: z.string(), path: z.string() })
const MAPPINGS_MAX = 10_000

/** A column of the table that shows a run, and where its values come from. */
const mapping = z.object({ column, step: place })
export type Mapping = z.output<typeof mapping>

export const repeats = z.int().max(REPEATS_MAX)

export const concurrency = z.object({
  batch_size: optional(z.int()),
  max_retries: optional(z.int()),
  retry_delay: optional(z.number()),
})

/** `data` of a run: absent lists stay absent, repeats are 1 where nothing is said. */
export const runData = z.object({
  steps: optional(list(step, { max: STEPS_MAX })),
  repeats: optional(repeats).transform(given => given ?? 1),
  concurrency: optional(concurrency),
  mappings: optional(list(mapping, { max: MAPPINGS_MAX })),
})

export type RunData = z.output<typeof runData>

/** Whether people carry a step out. */
export const isHuman = ({ type, origin }: Step): boolean => type === 'annotation' && origin === 'human'

export const stepsOf = (run: { data: RunData | null }): readonly Step[] => run.data?.steps ?? []

/** The keys of the steps that people carry out. */
export const humanKeys = (run: { data: RunData | null }): string[] =>
  stepsOf(run)
    .filter(isHuman)
    .map(({ key }) => key)

/** How often each step is carried out, once at least. */
export const repeatsOf = (run: { data: RunData | null }): number => Math.max(1, run.data?.repeats ?? 1)

/** What the steps refer to, for the filter: `{key, id?, slug?, version?}` each. */
export const referencesOf = (steps: readonly Step[]): Json =>
  steps.flatMap(({ references }) =>
    Object.entries(references).map(
      ([key, { id, slug, version }]): JsonObject => ({
        key,
        ...(id !== undefined && { id }),
        ...(slug !== undefined && { slug }),
        ...(version !== undefined && { version }),
      }),
    ),
  )
