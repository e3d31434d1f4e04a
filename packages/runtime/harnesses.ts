import type { JsonObject } from '@spanhouse/model'

/** A program that runs agents, and the capabilities it has here. */
export interface Harness {
  key: string
  capabilities: JsonObject
}

/** Spanhouse stores agents but has no runner for them, so none of the harnesses has any capabilities yet. */
export const HARNESSES: readonly Harness[] = ['pi_core', 'pi_agenta', 'claude', 'codex'].map(key => ({
  key,
  capabilities: {},
}))
