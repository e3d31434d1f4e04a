import { defined, isJsonObject, type JsonObject } from '@spanhouse/model'
import { list, optional, recordOf, reference, z } from '@spanhouse/validation'
import type { Content, Delta } from '../kind.ts'
import { fillSlugs } from './deployed.ts'

/** One deployment: the reference for each name (`application`, `application_variant`, ...). Names are not checked. */
const entry = recordOf(optional(reference.transform(defined))).transform(defined)
const entries = recordOf(optional(entry)).transform(defined)

const environmentData = z
  .strictObject({ references: optional(entries) })
  .transform(({ references }): JsonObject => (references === undefined ? {} : { references }))

/** Keys are set first, then removed; other keys are unchanged. */
const environmentDelta = z
  .object({ set: optional(entries), remove: optional(list(z.string())) })
  .transform(({ set = {}, remove = [] }): Delta => changedReferences(set, remove))

/** The change that sets these entries under their keys and removes others. */
export const changedReferences = (set: JsonObject, remove: readonly string[] = []): Delta => ({
  needsBase: false,
  apply: async (base, { scope }) => {
    const filled = (await fillSlugs(scope, { references: set })).references as JsonObject
    const references = { ...(isJsonObject(base?.references) ? base.references : {}), ...filled }
    for (const key of remove) delete references[key]
    return { data: { references }, isPrepared: true }
  },
})

/** The data of an environment's revision: what is deployed under each key. */
export const environmentContent: Content = {
  data: environmentData,
  delta: environmentDelta,
  prepare: async (data, { scope }) => ({ data: await fillSlugs(scope, data) }),
  flags: null,
  show: data => data,
}
