import type { Json, JsonObject } from '@spanhouse/model'
import type { Run } from './run.ts'

/** JSON Schemas of what a handler is configured with, reads and returns. */
export interface Schemas {
  parameters?: Json
  inputs?: Json
  outputs?: Json
}

export type Role = 'application' | 'evaluator' | 'snippet'

/** Values pinned for a template, under a name. What becomes of one is an ordinary revision. */
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
  /** Hidden from lists unless they ask for it; still found by its key. */
  isArchived?: boolean
  /** Defaults that are no scalars; those stand as `default` in the parameters' schema. */
  parameters?: JsonObject
  presets?: readonly Preset[]
}

/** What only the older list of evaluator templates tells. */
export interface LegacyTraits {
  /** Works without any setting. */
  directUse: boolean
  /** Calls a model, so a provider key is needed. */
  requiresModel: boolean
}

/**
 * A built-in handler: everything about it that is data. A key is unique among all handlers. Without a template it is
 * reserved: its URI is understood, and the catalogue does not show it.
 */
export interface Handler {
  key: string
  kind: 'builtin' | 'custom'
  /** What `latest` means. */
  version: string
  roles: readonly Role[]
  schemas?: Schemas
  template?: Template
  legacy?: LegacyTraits
  /** False for what is no handler at all but content: it has no address. */
  isRunnable?: boolean
  /** Whether it has something to show before its result, so that its answer can be a stream of events. */
  isStreaming?: boolean
  /** The outputs' schema that these parameters lead to; undefined when they lead to none. */
  inferOutputs?(parameters: JsonObject): Json | undefined
  /**
   * The outputs' schema on the simple evaluator surface, where it is another one than {@link inferOutputs} and
   * `schemas.outputs` give. `null`: none is declared.
   */
  surfaceOutputs?(parameters: JsonObject): Json | null
  /**
   * Runs it once and returns the outputs. Throws a `RunError` for what the caller did wrong or somebody outside failed at.
   * A handler without it cannot be invoked.
   */
  run?(run: Run): Json | Promise<Json>
}
