/** How often a line of the same kind may be logged. */
const EVERY_MS = 60_000
/** Kinds that are remembered; the one logged longest ago is forgotten first. */
const KINDS_MAX = 1_000

interface Line {
  loggedAt: number
  /** How often it occurred since. */
  count: number
}

/** Limits how often lines are logged that a client can cause at any rate. */
export class RepeatedLines {
  readonly #lines = new Map<string, Line>()
  readonly #now: () => number

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** How many lines of this kind were omitted before this one, or undefined if this one must be omitted too. */
  note(kind: string): number | undefined {
    const now = this.#now()
    const last = this.#lines.get(kind)
    if (last && now < last.loggedAt + EVERY_MS) {
      last.count++
      return undefined
    }
    this.#lines.delete(kind)
    this.#lines.set(kind, { loggedAt: now, count: 0 })
    if (this.#lines.size > KINDS_MAX) this.#lines.delete(this.#lines.keys().next().value as string)
    return last?.count ?? 0
  }
}
