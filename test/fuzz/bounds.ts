import { PROBLEMS } from '@spanhouse/model'

/** What a server must keep to under attack. */
export interface Bounds {
  /** Longest time during which no other caller gets a response. */
  freezeMs: number
  /** Longest answer; large traces are streamed, and the largest that is sent here comes to 220 MB. */
  answerMs: number
  answerBytes: number
  /** Most memory resident at any time. */
  memoryBytes: number
  /** By how much the floor of memory may rise from the first third after the warm-up to the last. */
  growthBytes: number
  /** Longest answer to the neighbour's small question. */
  neighbourMs: number
}

const MB = 1 << 20

export const BOUNDS: Bounds = {
  freezeMs: 250,
  answerMs: 30_000,
  answerBytes: 256 * MB,
  memoryBytes: 3_000 * MB,
  growthBytes: 150 * MB,
  neighbourMs: 5_000,
}

/** Statuses from 500 on that the interface documents. */
export const DOCUMENTED: readonly number[] = Object.values(PROBLEMS)
  .map(({ status }) => status as number)
  .filter(status => status > 500)
