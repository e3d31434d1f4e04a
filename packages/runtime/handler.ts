import type { Json, JsonObject } from '@spanhouse/model'
import type { Run } from './run.ts'

/** JSON Schemas of a handler's parameters, inputs and outputs. */
export interface Schemas {
  parameters?: Json
  inputs?: Json
  outputs?: Json
}

export type Role = 'application' | 'evaluator' | 'snippet'

/** A named set of pinned values of a template. A revision created from it is an ordinary one. */
export interface Preset {
  key: string
  name: string
  description: string
  parameters?: JsonObject
  schemas?: Schemas
}

/** How the catalogue shows a handler. */
export interface Template {
  name: string
  description: string
  categories: readonly string[]
  /** Hidden from lists unless requested; still found by its key. */
  isArchived?: boolean
  /** Defaults that are not scalars. Scalar ones are the `default` of their property in the parameters schema. */
  parameters?: JsonObject
  presets?: readonly Preset[]
}

/** Properties that only the older list of evaluator templates shows. */
export interface LegacyTraits {
  /** Works without any setting. */
  directUse: boolean
  /** Calls a model, so a provider key is needed. */
  requiresModel: boolean
}

/**
 * A built-in handler. Its key is unique among all handlers. Without a template it is reserved: its URI is valid, but
 * the catalogue does not show it.
 */
export interface Handler {
  key: string
  kind: 'builtin' | 'custom'
  roles: readonly Role[]
  schemas?: Schemas
  template?: Template
  legacy?: LegacyTraits
  /** False if it is only content: it has no address and cannot run. */
  isRunnable?: boolean
  /** Whether it emits events before its result, so that the response can be a stream. */
  isStreaming?: boolean
  /** The outputs schema that follows from the parameters; undefined if none does. */
  inferOutputs?(parameters: JsonObject): Json | undefined
  /**
   * The outputs schema on the simple evaluator surface, if it differs from {@link inferOutputs} and `schemas.outputs`.
   * `null` if none is declared there.
   */
  surfaceOutputs?(parameters: JsonObject): Json | null
  /**
   * Runs it once and returns the outputs. Throws a `RunError` for a mistake of the caller or a failure of another
   * service. A handler without it cannot be invoked.
   */
  run?(run: Run): Json | Promise<Json>
}
