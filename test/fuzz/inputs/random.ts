import { type Random as Base, seeded } from '../../faults/chaos/random.ts'

/** A seeded source of choices. */
export interface Random extends Base {
  /** True in `share` of the cases (0 to 1). */
  chance(share: number): boolean
  /** From `low` to `high`, both included. */
  between(low: number, high: number): number
  bytes(count: number): Buffer
  uuid(): string
}

/**
 * The choices of play `index` in a run with this seed. They depend on nothing else, so one play can be repeated without
 * those before it.
 */
export function randomOf(seed: number, index: number): Random {
  const base = seeded((Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0)
  const hex = base.hex
  return {
    ...base,
    chance: share => base.below(1_000_000) < share * 1_000_000,
    between: (low, high) => low + base.below(high - low + 1),
    bytes: count => Buffer.from(Array.from({ length: count }, () => base.below(256))),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  }
}
