/** A seeded generator with a good spread (mulberry32): the same seed makes the same run, as far as timing allows. */
export interface Random {
  /** From 0 to `limit` - 1. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
  hex(digits: number): string
}

export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    shuffled: items => {
      const rest = [...items]
      return items.map(() => rest.splice(below(rest.length), 1)[0] as (typeof items)[number])
    },
    hex: digits => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}
