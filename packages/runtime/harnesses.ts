import type { JsonObject } from '@spanhouse/model'

/** A program that agents can be run by, and what of an agent it would take here. */
export interface Harness {
  key: string
  capabilities: JsonObject
}

/** Spanhouse stores agents and has no runner for them, so none of the harnesses it knows can do anything yet. */
export const HARNESSES: readonly Harness[] = ['pi_core', 'pi_agenta', 'claude', 'codex'].map(key => ({
  key,
  capabilities: {},
}))
