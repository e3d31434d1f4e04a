import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { z } from '@spanhouse/validation'
import type { Scope } from './scope.ts'

/** Something the caller should know about a commit that was carried out. */
export interface CommitWarning {
  code: string
  message: string
  target?: Json
  operation_index?: number
}

/** A change to what a variant holds, as read from a request. */
export interface Delta {
  /** Whether the commit must name the revision that the change was made for (`base_revision_id`). */
  needsBase: boolean
  /** Whether there must be a revision to change: 404 on a variant without one. */
  needsHead?: boolean
  /** The data that follows from the base's (null: the base has none). Runs under the variant's lock. */
  apply(base: JsonObject | null, place: ContentPlace): Changed | Promise<Changed>
}

export interface Changed {
  data: JsonObject
  warnings?: CommitWarning[]
  /** The commit's message where the caller sent none. */
  message?: string
}

/** Where data is about to be stored. `scope.db` is the commit's transaction. */
export interface ContentPlace {
  scope: Scope
  artifact_id: Uuid
  /** Where the data stands in the request: the start of the location in a 422. */
  loc: (string | number)[]
}

/** What a family's revisions hold: how it is read, changed, stored and shown. */
export interface Content {
  /** `data` in a request. */
  data: z.ZodType<JsonObject>
  /** `delta` in a commit; absent where there is none. */
  delta?: z.ZodType<Delta>
  /** What is stored for data that was read. Throws 422 for what no schema can see. */
  store(data: JsonObject, place: ContentPlace): JsonObject | null | Promise<JsonObject | null>
  /** Flags that follow from the stored data; null where the caller's flags are kept instead. */
  flags: ((data: JsonObject | null, slug: string, scope: Scope) => JsonObject) | null
  /** What is shown for data as stored. */
  show(data: JsonObject, scope: Scope): JsonObject
}
