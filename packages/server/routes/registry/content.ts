import type { JsonObject } from '@spanhouse/model'
import type { KindName } from '@spanhouse/registry'
import type { z } from '@spanhouse/validation'
import { queriesShown } from './saved-queries.ts'
import type { ShownCall, ShownContent } from './shown-content.ts'
import { testsetsShown } from './testsets.ts'

/** One row for each kind whose revisions point at something that is stored elsewhere. */
export const SHOWN_CONTENT: Partial<Record<KindName, ShownContent>> = {
  testset: testsetsShown,
  query: queriesShown,
}

export const contentOptions = (kind: KindName): z.ZodRawShape => SHOWN_CONTENT[kind]?.options ?? {}

/** The records as the kind shows them; unchanged for a kind that adds nothing. */
export async function withContent(
  call: ShownCall,
  records: JsonObject[],
  options: Readonly<Record<string, unknown>>,
): Promise<JsonObject[]> {
  const shown = SHOWN_CONTENT[call.scope.kind.name]
  return shown && records.length > 0 ? shown.complete(call, records, options) : records
}

/** As {@link withContent}, for one record that may be missing. */
export async function oneWithContent(
  call: ShownCall,
  record: JsonObject | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<JsonObject | undefined> {
  return record && (await withContent(call, [record], options))[0]
}
