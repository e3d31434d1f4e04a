import { isJsonObject, type Json, JsonBoundError, parseJson, scanShortJson } from '@spanhouse/model'
import { SANDBOX_LIMITS } from './limits.ts'
import { type CodeOutcome, FAILURE_KINDS, type FailureKind } from './outcome.ts'

const BOUNDS = {
  // The outcome is a level of its own.
  depthMax: SANDBOX_LIMITS.outputLevelsMax + 1,
  valuesMax: 1_000_000,
  membersMax: 100_000,
  digitsMax: 1_000,
}

/**
 * An outcome from its JSON text, which need not be one: code can reach what writes it. Then the outcome is a failure
 * `result`, and so it is when the value goes beyond what JSON may be anywhere in the program.
 */
export function parseOutcome(text: string): CodeOutcome {
  try {
    scanShortJson(text, BOUNDS)
    return toOutcome(parseJson(text)) ?? NO_OUTCOME
  } catch (error) {
    if (!(error instanceof JsonBoundError)) return NO_OUTCOME
    return { ok: false, kind: 'result', message: `What evaluate returned cannot be used: ${error.message}.` }
  }
}

const NO_OUTCOME: CodeOutcome = { ok: false, kind: 'result', message: 'evaluate returned what is not JSON.' }

function toOutcome(json: Json): CodeOutcome | undefined {
  if (!isJsonObject(json)) return undefined
  if (json.ok === true && json.value !== undefined) return { ok: true, value: json.value }
  const { kind, message, line } = json
  if (!isFailureKind(kind) || typeof message !== 'string') return undefined
  const failure = { ok: false, kind, message: message.slice(0, SANDBOX_LIMITS.messageLengthMax) } as const
  return typeof line === 'number' ? { ...failure, line } : failure
}

const isFailureKind = (kind: Json | undefined): kind is FailureKind =>
  (FAILURE_KINDS as readonly (Json | undefined)[]).includes(kind)
