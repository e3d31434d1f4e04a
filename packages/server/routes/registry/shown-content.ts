import type { ProjectPrincipal } from '@spanhouse/access'
import type { JsonObject } from '@spanhouse/model'
import type { Scope } from '@spanhouse/registry'
import type { z } from '@spanhouse/validation'
import type { Reading } from '../tracing/whole-traces.ts'

/** Through which kind of endpoint a revision, or a flat record with its data, is shown. */
export type Occasion = 'fetch' | 'query' | 'log' | 'retrieve' | 'commit' | 'simple'

/** What a kind can show with its revisions beyond what is stored in them. */
export interface ShownContent {
  /** Members that requests may carry to say what is wanted, in bodies and (GET) in the query string. */
  options: z.ZodRawShape
  /**
   * The record of a revision, or a flat one, with its content; long parts of it are read while they are rendered. `options`
   * are the members as they were read.
   */
  complete(call: ShownCall, record: JsonObject, options: Readonly<Record<string, unknown>>): Promise<JsonObject>
}

export interface ShownCall {
  scope: Scope
  principal: ProjectPrincipal
  occasion: Occasion
  /** Where spans are read. Given where revisions are retrieved. */
  reading?: Reading
}
