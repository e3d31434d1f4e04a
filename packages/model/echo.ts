import { isJsonObject, isRawJson, type Json } from './json/json.ts'

const TEXT_LENGTH_MAX = 200
const VALUES_MAX = 50
/** Members that are never echoed, wherever they are. */
const SECRET_NAMES = new Set(['password', 'secret', 'client_secret', 'token', 'authorization'])

/**
 * A value as a 422 may echo it: undefined if it is large or itself secret; members with names that suggest a secret are
 * omitted. Bodies may be of any size and depth, and echoed values may end up in logs.
 */
export function echoOf(value: unknown, name?: string | number): Json | undefined {
  if (typeof name === 'string' && SECRET_NAMES.has(name)) return undefined
  const budget = { values: VALUES_MAX }
  const echo = copy(value, budget)
  return budget.values < 0 ? undefined : echo
}

function copy(value: unknown, budget: { values: number }): Json | undefined {
  budget.values--
  if (budget.values < 0) return undefined
  if (isLarge(value)) {
    budget.values = -1
    return undefined
  }
  if (Array.isArray(value)) return value.map(item => copy(item, budget) ?? null)
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([name]) => !SECRET_NAMES.has(name))
    return Object.fromEntries(members.map(([name, member]) => [name, copy(member, budget) ?? null]))
  }
  if (typeof value === 'string' && value.length > TEXT_LENGTH_MAX) budget.values = -1
  return isScalar(value) ? value : null
}

/** Objects known to be large: counting their members takes long, and each violation in them would do it again. */
const large = new WeakSet<object>()

function isLarge(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > VALUES_MAX
  if (!isJsonObject(value)) return false
  if (!large.has(value) && Object.keys(value).length > VALUES_MAX) large.add(value)
  return large.has(value)
}

const isScalar = (value: unknown): value is Json =>
  ['string', 'number', 'boolean'].includes(typeof value) || value === null || isRawJson(value)
