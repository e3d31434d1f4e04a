import type { PartName } from '../parts.ts'
import type { RoleName } from './names.ts'

/** What each role needs open beside Postgres, which all of them ask who is calling. */
export const ROLE_NEEDS: Record<RoleName, readonly PartName[]> = {
  /** Takes exports in and makes them durable in the stream. */
  receiver: ['stream'],
  /** Moves spans from the stream into the store; its thread has connections of its own. */
  writer: ['stream'],
  /** Answers queries and administers; what it writes goes through the stream too. */
  api: ['engine', 'stream'],
  /** Runs handlers: the hosted services. Their traces go through the stream. */
  services: ['stream'],
  /** Background work, of which there is none yet: it will run evaluations. */
  worker: [],
}

export const needsOf = (roles: readonly RoleName[]): Set<PartName> => new Set(roles.flatMap(role => ROLE_NEEDS[role]))
