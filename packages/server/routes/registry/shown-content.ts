import type { ProjectPrincipal } from '@spanhouse/access'
import type { JsonObject } from '@spanhouse/model'
import type { Scope } from '@spanhouse/registry'
import type { z } from '@spanhouse/validation'
import type { Reading } from '../tracing/whole-traces.ts'

/** The kind of endpoint that returns a revision, or a flat entity with its data. */
export type Occasion = 'fetch' | 'query' | 'log' | 'retrieve' | 'commit' | 'simple'

/** What a kind can return with its revisions beyond what is stored in them. */
export interface ShownContent {
  /** Request members that select the content, in bodies and (GET) in the query string. */
  options: z.ZodRawShape
  /**
   * The JSON of a revision or flat entity with its content; long parts are read while they are rendered. `options` are
   * the parsed members.
   */
  complete(call: ShownCall, record: JsonObject, options: Readonly<Record<string, unknown>>): Promise<JsonObject>
  /** The windowing object for what follows the part of the content that a retrieval requested. */
  windowingOfRest?(record: JsonObject, options: Readonly<Record<string, unknown>>): JsonObject | undefined
}

export interface ShownCall {
  scope: Scope
  principal: ProjectPrincipal
  occasion: Occasion
  /** Reads spans. Given where revisions are retrieved. */
  reading?: Reading
}
