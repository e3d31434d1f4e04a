import type { Answer, Shot } from './exchange.ts'

interface Count {
  sent: number
  ok: number
  /** That clients waited for its answers. */
  waitedMs: number
  slowestMs: number
}

/** What was sent and answered, in figures. */
export class Tally {
  requests = 0
  readonly statuses: Record<string, number> = {}
  readonly #names = new Map<string, Count>()

  note({ name }: Shot, { status, ms }: Answer): void {
    this.requests++
    this.statuses[status || 'none'] = (this.statuses[status || 'none'] ?? 0) + 1
    const count = this.#names.get(name) ?? { sent: 0, ok: 0, waitedMs: 0, slowestMs: 0 }
    count.sent++
    if (status >= 200 && status < 300) count.ok++
    count.waitedMs += ms
    count.slowestMs = Math.max(count.slowestMs, Math.round(ms))
    this.#names.set(name, count)
  }

  /** Of these operations those that were tried and never carried out, and those that were not tried. */
  coverage(operations: readonly { name: string }[]): { operations: number; neverOk: string[]; neverSent: string[] } {
    const names = operations.map(({ name }) => name)
    return {
      operations: names.length,
      neverOk: names.filter(name => this.#names.get(name)?.ok === 0),
      neverSent: names.filter(name => !this.#names.has(name)),
    }
  }

  /** Those with the slowest single answers. */
  slowest(count: number): { name: string; ms: number }[] {
    return this.#most(count, ({ slowestMs }) => slowestMs)
  }

  /** Those that clients waited for the longest in all: what decides how many requests a run comes to. */
  longest(count: number): { name: string; ms: number }[] {
    return this.#most(count, ({ waitedMs }) => Math.round(waitedMs))
  }

  #most(count: number, msOf: (one: Count) => number): { name: string; ms: number }[] {
    const all = Array.from(this.#names, ([name, one]) => ({ name, ms: msOf(one) }))
    return all.toSorted((one, other) => other.ms - one.ms).slice(0, count)
  }
}
