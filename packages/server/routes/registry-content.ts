import type { ProjectPrincipal } from '@spanhouse/access'
import type { JsonObject } from '@spanhouse/model'
import type { KindName, Scope } from '@spanhouse/registry'
import type { z } from '@spanhouse/validation'
import { queriesShown } from './registry-saved-queries.ts'
import { testsetsShown } from './registry-testsets.ts'
import type { Reading } from './whole-traces.ts'

/** Through which kind of endpoint a revision, or a flat record with its data, is shown. */
export type Occasion = 'fetch' | 'query' | 'log' | 'retrieve' | 'commit' | 'simple'

/** What a kind can show with its revisions beyond what is stored in them. */
export interface ShownContent {
  /** Members that requests may carry to say what is wanted, in bodies and (GET) in the query string. */
  options: z.ZodRawShape
  /**
   * The records with their content, in the same order: revisions, or flat records. All of a page at once, so that one
   * look-up serves them. `options` are the members as they were read.
   */
  complete(call: ShownCall, records: JsonObject[], options: Readonly<Record<string, unknown>>): Promise<JsonObject[]>
}

export interface ShownCall {
  scope: Scope
  principal: ProjectPrincipal
  occasion: Occasion
  /** Where spans are read. Given where revisions are retrieved. */
  reading?: Reading
}

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
