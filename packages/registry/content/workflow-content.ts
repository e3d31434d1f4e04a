import { defined, echoOf, type JsonObject, Problem } from '@spanhouse/model'
import {
  checkRevisionData,
  enrichRevisionData,
  type RuntimeSettings,
  revisionFlags,
  shownRevisionData,
} from '@spanhouse/runtime'
import { optional, recordOf, reference, storedObject, z } from '@spanhouse/validation'
import { workflowDelta } from '../delta/workflow-delta.ts'
import { refuseReservedEmbeds } from '../embeds/reserved.ts'
import type { Content } from '../kind.ts'

const url = z
  .string()
  .refine(text => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text), 'Input should be a valid http or https URL')

/** A JSON Schema; whether it is valid in its dialect is checked separately. */
const schema = optional(storedObject)

/** How a handler is located and configured. Unknown members are rejected. */
const workflowData = z
  .strictObject({
    uri: optional(z.string()),
    url: optional(url),
    headers: optional(recordOf(z.union([z.string(), reference.transform(defined)]))),
    runtime: optional(z.enum(['python', 'typescript', 'javascript'])),
    script: optional(z.string()),
    schemas: optional(z.object({ parameters: schema, inputs: schema, outputs: schema }).transform(defined)),
    parameters: optional(storedObject),
  })
  .transform(defined)

export const workflowContent: Content = {
  data: workflowData,
  delta: workflowDelta,
  prepare: async (data, { scope, loc }) => {
    const violations = await checkRevisionData(data, scope.runtime, scope.project_id)
    if (violations.length > 0) {
      throw new Problem(
        'unprocessable',
        violations.map(one => ({ ...one, loc: [...loc, ...one.loc], input: echoOf(one.input) })),
      )
    }
    await refuseReservedEmbeds(data)
    return { data: await enrichRevisionData(withoutShownUrl(data, scope.runtime), scope.runtime, scope.project_id) }
  },
  flags: (data, slug, { runtime }) => ({ ...revisionFlags(data, slug, runtime) }),
  show: (data, { runtime }) => shownRevisionData(data, runtime),
}

/** Clients often send back what they read: a URL that is only shown must not be stored. */
function withoutShownUrl(data: JsonObject, runtime: RuntimeSettings): JsonObject {
  const { url, ...stored } = data
  return url !== undefined && shownRevisionData(stored, runtime).url === url ? stored : data
}
