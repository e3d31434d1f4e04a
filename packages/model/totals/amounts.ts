/**
 * The amounts that are summed over a trace, one row each. `metric` and `key` give the path under `ag.metrics`
 * (`tokens.incremental.prompt`; errors have no key). `decimals` is the number of decimal places kept: sums are computed
 * on integers of that scale, so they are exact in any order.
 */
export const AMOUNTS = [
  { metric: 'errors', key: null, decimals: 3 },
  { metric: 'tokens', key: 'prompt', decimals: 3 },
  { metric: 'tokens', key: 'completion', decimals: 3 },
  { metric: 'tokens', key: 'total', decimals: 3 },
  { metric: 'costs', key: 'prompt', decimals: 15 },
  { metric: 'costs', key: 'completion', decimals: 15 },
  { metric: 'costs', key: 'total', decimals: 15 },
] as const

/** The row that counts errors. */
export const ERRORS = 0

export type SummedMetric = (typeof AMOUNTS)[number]['metric']

/** One value for each row of {@link AMOUNTS}, scaled to an integer by its decimals. */
export type Amounts = readonly bigint[]

export const NO_AMOUNTS: Amounts = Object.freeze(AMOUNTS.map(() => 0n))

/** The rows of {@link AMOUNTS} that belong to one metric. */
export const SUMMED_METRICS: readonly { metric: SummedMetric; indexes: readonly number[] }[] = (
  ['errors', 'tokens', 'costs'] as const
).map(metric => ({ metric, indexes: AMOUNTS.flatMap((row, index) => (row.metric === metric ? [index] : [])) }))

/** The maximum of any amount of a single span, so that a trace's sums fit the stored decimals. */
const AMOUNT_MAX = 1e9

const SCALES = AMOUNTS.map(row => 10n ** BigInt(row.decimals))

/** A number as an integer of the row's scale, rounded to the nearest; 0 if it exceeds {@link AMOUNT_MAX}. */
export function toAmount(value: number, index: number): bigint {
  if (!(Math.abs(value) <= AMOUNT_MAX)) return 0n
  const { decimals } = AMOUNTS[index] as (typeof AMOUNTS)[number]
  if (Number.isInteger(value)) return BigInt(value) * (SCALES[index] as bigint)
  const scale = 10 ** decimals
  const scaled = Math.round(value * scale)
  // The product may be off by one, but not if the reverse conversion is exact: below 8, neighbouring numbers are less
  // than 1e-15 apart, so no other integer is as near. Converting through text takes ten times as long.
  if (Math.abs(value) < 8 && scaled / scale === value) return BigInt(scaled)
  return BigInt(value.toFixed(decimals).replace('.', ''))
}

/** The decimal text of an amount, for example `0.00012`. */
export function amountText(amount: bigint, index: number): string {
  if (amount === 0n) return '0'
  const { decimals } = AMOUNTS[index] as (typeof AMOUNTS)[number]
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** The amount in a decimal text as printed by a database: the inverse of {@link amountText}. */
export function amountOfText(text: string, index: number): bigint {
  const { decimals } = AMOUNTS[index] as (typeof AMOUNTS)[number]
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}

export const sumAmounts = (one: Amounts, other: Amounts): Amounts =>
  one === NO_AMOUNTS
    ? other
    : other === NO_AMOUNTS
      ? one
      : one.map((value, index) => sum(value, other[index] as bigint))

/** Most amounts are zero, and adding zero would create a new bigint. */
const sum = (one: bigint, other: bigint): bigint => (one === 0n ? other : other === 0n ? one : one + other)

export const equalAmounts = (one: Amounts, other: Amounts): boolean =>
  one === other || one.every((value, index) => value === other[index])
