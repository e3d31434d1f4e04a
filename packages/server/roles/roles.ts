import type { PartName } from '../parts.ts'
import type { ProcessRole } from './process-roles.ts'

/** The parts that each role needs besides Postgres, which all of them use for authentication. */
const ROLE_NEEDS: Record<ProcessRole, readonly PartName[]> = {
  /** Accepts exports and makes them durable in the stream. */
  receiver: ['stream'],
  /** Moves spans from the stream into the store, by connections of its threads: this one tells whether it is up. */
  writer: ['engine', 'stream'],
  /** Serves queries and administration; its writes go through the stream too. */
  api: ['engine', 'stream'],
  /** Runs handlers: the hosted services. Their traces go through the stream. */
  services: ['stream'],
  /** Executes evaluations, for which it runs handlers as `services` does and reads traces, and delivers events. */
  worker: ['engine', 'stream'],
}

export const needsOf = (roles: readonly ProcessRole[]): Set<PartName> =>
  new Set(roles.flatMap(role => ROLE_NEEDS[role]))
