import type { JsonObject } from '@spanhouse/model'
import { jsonObject, list, optional, storedObject, z } from '@spanhouse/validation'
import type { Changed, Delta } from '../kind.ts'
import { checkDelta } from './delta-limits.ts'
import { refusing } from './delta-refusal.ts'
import { mergeDeep, removePaths } from './merge.ts'
import { applyOperations, unknownMembers } from './operations.ts'

const unordered = z.object({ set: optional(storedObject), remove: optional(list(z.string())) })

/** A change to a workflow's data: `{set, remove}`, or `{operations}`, which are checked and applied in order. */
export const workflowDelta: z.ZodType<Delta> = jsonObject.transform((value, context): Delta => {
  if (value.operations !== undefined && value.operations !== null) {
    for (const { index, names } of unknownMembers(value.operations))
      context.addIssue({ code: 'unrecognized_keys', keys: names, path: ['operations', index], input: value })
    return { needsBase: true, apply: base => applyOperations(base ?? {}, value) }
  }
  const { data, error } = unordered.safeParse(value)
  if (data) return { needsBase: false, apply: base => applyUnordered(base ?? {}, data) }
  for (const issue of error.issues) context.addIssue({ ...issue, code: 'custom', message: issue.message })
  return z.NEVER
})

/** Merges objects and replaces other values, then removes the dotted paths that exist. */
function applyUnordered(base: JsonObject, { set = {}, remove = [] }: z.output<typeof unordered>): Changed {
  refusing(() => checkDelta(set))
  const paths = remove.map(path => path.split('.'))
  const message = 'set and remove apply to the current head, whatever it is; use operations to name a base revision.'
  return { data: removePaths(mergeDeep(base, set), paths), warnings: [{ code: 'legacy_delta_form', message }] }
}
