import { type FilterSearch, readFilterSearch } from '../traces/search.ts'

export const SESSION_ORDERS = ['last', 'costs', 'tokens', 'count', 'errors'] as const
export type SessionOrder = (typeof SESSION_ORDERS)[number]

/** What the address of the list of sessions says. */
export type SessionsSearch = FilterSearch & {
  order?: SessionOrder
  /** Also those of one turn. */
  all?: boolean
}

export const readSessionsSearch = (given: Record<string, unknown>): SessionsSearch => ({
  ...readFilterSearch(given),
  order: SESSION_ORDERS.slice(1).find(order => order === given.order),
  all: given.all === true ? true : undefined,
})

/** What the address of a session says: the turn that is selected, and the one whose steps are shown. */
export interface SessionSearch {
  /** Its trace; of a trace with several turns its span, from the second one on. */
  turn?: string
  steps?: string
}

export const readSessionSearch = (given: Record<string, unknown>): SessionSearch => ({
  turn: typeof given.turn === 'string' ? given.turn : undefined,
  steps: typeof given.steps === 'string' ? given.steps : undefined,
})

/** Session ids that browsers take for a step in the path, with a mark before them or without. */
const STEP = /^~*\.\.?$/

/** A session in the path of an address. Ids of one or two dots have a mark before them. */
export const sessionPath = ({ sessionId }: { sessionId: string }): { sessionId: string } => ({
  sessionId: STEP.test(sessionId) ? `~${sessionId}` : sessionId,
})

/** The opposite of {@link sessionPath}. */
export const readSessionPath = ({ sessionId }: { sessionId: string }): { sessionId: string } => ({
  sessionId: sessionId.startsWith('~') && STEP.test(sessionId) ? sessionId.slice(1) : sessionId,
})
