import type { Answer, Shot } from './exchange.ts'

interface Count {
  sent: number
  ok: number
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
    const count = this.#names.get(name) ?? { sent: 0, ok: 0, slowestMs: 0 }
    count.sent++
    if (status >= 200 && status < 300) count.ok++
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

  slowest(count: number): { name: string; ms: number }[] {
    const all = Array.from(this.#names, ([name, { slowestMs }]) => ({ name, ms: slowestMs }))
    return all.toSorted((one, other) => other.ms - one.ms).slice(0, count)
  }
}
