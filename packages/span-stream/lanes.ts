import type { Uuid } from '@spanhouse/model'

/**
 * The two queues of each partition. What a project publishes beyond its pace goes to `bulk`, so that a backlog of one
 * project does not stand before the messages of others.
 */
export type Lane = 'prompt' | 'bulk'
export const LANES: readonly Lane[] = ['prompt', 'bulk']

/** What of a project goes to the prompt lane in a second, through one process. */
const SPANS_PER_SECOND = 2_000
const BYTES_PER_SECOND = 4 * 1024 ** 2

/** For how long a project counts as one that sends. */
export const SENDING_MS = 10_000

/** Paces are forgotten when they have recovered and there are more. */
const PROJECTS_MAX = 10_000

interface Paced {
  project_id: Uuid
  span_count: number
  body: Uint8Array
}

/** The most that a project has to make up for: after two seconds without messages it is prompt again. */
const LEFT_MIN = -1

interface Left {
  /** What is left of a second's pace, as a share of it. */
  share: number
  atMs: number
  /** Whether it has used up its pace and not recovered it in full. */
  isBehind: boolean
}

/** How much each project has published lately. */
export class Pace {
  readonly #left = new Map<Uuid, Left>()

  /**
   * The lane for a message, which is counted. A project that has used up its pace stays in the bulk lane until it has
   * recovered it in full: otherwise a part of each second of a flood would be prompt.
   */
  laneOf({ project_id, span_count, body }: Paced, nowMs = performance.now()): Lane {
    const known = this.#left.get(project_id)
    if (!known && this.#left.size >= PROJECTS_MAX) this.#forgetIdle(nowMs)
    const share = known ? recovered(known, nowMs) : 1
    const isBehind = share <= 0 || (known?.isBehind === true && share < 1)
    const used = Math.max(span_count / SPANS_PER_SECOND, body.length / BYTES_PER_SECOND)
    this.#left.set(project_id, { share: Math.max(LEFT_MIN, share - used), atMs: nowMs, isBehind })
    return isBehind ? 'bulk' : 'prompt'
  }

  /** Whether several projects have published within the last seconds. */
  isShared(nowMs = performance.now()): boolean {
    let projects = 0
    for (const { atMs } of this.#left.values()) if (nowMs - atMs < SENDING_MS && ++projects > 1) return true
    return false
  }

  #forgetIdle(nowMs: number): void {
    for (const [project_id, left] of this.#left) if (recovered(left, nowMs) === 1) this.#left.delete(project_id)
  }
}

const recovered = ({ share, atMs }: Left, nowMs: number): number => Math.min(1, share + (nowMs - atMs) / 1000)
