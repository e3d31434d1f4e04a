import type { JsonObject } from '@spanhouse/model'
import type { KindName } from '@spanhouse/registry'
import type { z } from '@spanhouse/validation'
import { queriesShown } from './saved-queries.ts'
import type { ShownCall, ShownContent } from './shown-content.ts'
import { testsetsShown } from './testsets.ts'

/** One row for each kind whose revisions refer to content stored elsewhere. */
const SHOWN_CONTENT: Partial<Record<KindName, ShownContent>> = {
  testset: testsetsShown,
  query: queriesShown,
}

export const contentOptions = (kind: KindName): z.ZodRawShape => SHOWN_CONTENT[kind]?.options ?? {}

/** How to request what follows the content that is shown of a retrieved revision; nothing if it is shown to the end. */
export function restOfContent(
  kind: KindName,
  record: JsonObject,
  options: Readonly<Record<string, unknown>>,
): { windowing?: JsonObject } {
  const windowing = SHOWN_CONTENT[kind]?.windowingOfRest?.(record, options)
  return windowing ? { windowing } : {}
}

/** The JSON of the revision with the kind's content; unchanged for a kind without content. */
export async function withContent(
  call: ShownCall,
  record: JsonObject | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<JsonObject | undefined> {
  const shown = SHOWN_CONTENT[call.scope.kind.name]
  return record && shown ? shown.complete(call, record, options) : record
}
