/** A source of random numbers that gives the same ones each time, so that every demonstration shows the same shop. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 up to 1 (mulberry32). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from `low` to `high`. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.share() * (high - low + 1))
  }

  /** Mostly near `typical`, sometimes several times as much: how long calls take. */
  skewed(typical: number): number {
    return typical * Math.exp((this.share() + this.share() + this.share() - 1.5) * 0.9)
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.share() * values.length)] as T
  }

  /** True with this probability. */
  happens(chance: number): boolean {
    return this.share() < chance
  }
}
