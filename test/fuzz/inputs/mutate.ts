import { hostileText, hostileValue, lengthOf } from './hostile.ts'
import type { Random } from './random.ts'
import { toJsonText } from './raw-json.ts'

type Container = Record<string, unknown> | unknown[]

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** The value with one to three changes at any depth. The original stays as it is. */
export function mutated(value: unknown, random: Random): unknown {
  let result = structuredClone(value)
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) result = mutatedOnce(result, random)
  return result
}

function mutatedOnce(value: unknown, random: Random): unknown {
  if (!isContainer(value) || random.chance(0.03)) return hostileValue(random)
  const container = random.pick(containersIn(value))
  const keys = Object.keys(container)
  const change = random.pick(CHANGES)
  change(container as Record<string, unknown>, random.pick(keys) ?? '0', random)
  return value
}

function containersIn(value: Container): Container[] {
  const found = [value]
  for (const one of found) for (const member of Object.values(one)) if (isContainer(member)) found.push(member)
  return found
}

type Change = (container: Record<string, unknown>, key: string, random: Random) => void

const replace: Change = (container, key, random) => put(container, key, hostileValue(random))

/** `__proto__` becomes a member like any other. */
function put(container: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
}

const COPIES_MAX = 20_000
/** Characters of all copies together: a few times what any body may have, and far from what one string may have. */
const COPIES_LENGTH_MAX = 16 * 1024 * 1024

function copiesOf(value: unknown, count: number): unknown[] {
  const room = Math.ceil(COPIES_LENGTH_MAX / toJsonText(value).length)
  // Each by itself: a later change of one must not be one of all.
  return Array.from({ length: Math.min(count, COPIES_MAX, room) }, () => structuredClone(value))
}

const CHANGES: readonly Change[] = [
  replace,
  replace,
  replace,
  (container, key) => void Reflect.deleteProperty(container, key),
  (container, key, random) => put(container, key, copiesOf(container[key] ?? 1, lengthOf(random))),
  (container, key) => put(container, key, [container[key]]),
  (container, key) => put(container, key, { a: container[key] }),
  (container, key) => put(container, key, String(container[key])),
  (container, _key, random) => {
    if (!Array.isArray(container)) put(container, hostileText(random), hostileValue(random))
  },
  (container, _key, random) => {
    if (!Array.isArray(container)) put(container, '__proto__', hostileValue(random))
  },
]

/** The bytes with flipped bits, lengths that lie, other wire types, pieces missing or there twice. */
export function mutatedBytes(bytes: Uint8Array, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  if (copy.length === 0) return random.bytes(5)
  const at = random.below(copy.length)
  const kind = random.below(7)
  if (kind === 0) return copy.subarray(0, at)
  if (kind === 1) return Buffer.concat([copy.subarray(0, at), random.bytes(random.between(1, 12)), copy.subarray(at)])
  if (kind === 2) return Buffer.concat([copy, copy.subarray(at)])
  if (kind === 3) return Buffer.concat([copy.subarray(0, at), HUGE_VARINT, copy.subarray(at + 1)])
  for (let flips = random.between(1, 20); flips > 0; flips--) {
    const place = random.below(copy.length)
    const mask = kind === 4 ? random.between(1, 7) : 1 << random.below(8)
    copy[place] = (copy[place] as number) ^ mask
  }
  return copy
}

const HUGE_VARINT = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
