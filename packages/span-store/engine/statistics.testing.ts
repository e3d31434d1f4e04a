import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/**
 * Statistics of JSON values straight from their definition, slowly: nothing is shared with the product but the names of
 * the results. Undefined when no value is of the measure's type.
 */
export function statisticsOracle(type: string, values: readonly Json[], options: HistogramOptions): Json | undefined {
  const counted = ORACLES[type]?.(values, options) as (JsonObject & { count: number }) | undefined
  return counted === undefined || counted.count === 0 ? undefined : { type, ...counted }
}

export interface HistogramOptions {
  bins?: number
  vmin?: number
  vmax?: number
  edge?: boolean
}

const ORACLES: Record<string, (values: readonly Json[], options: HistogramOptions) => object> = {
  'numeric/continuous': (values, options) => {
    const numbers = values.filter(isNumber)
    return { ...numeric(numbers), hist: numbers.length === 0 ? [] : histogram(numbers, options) }
  },
  'numeric/discrete': values => ({ ...numeric(values.filter(isNumber)), ...frequencies(values.filter(isNumber)) }),
  binary: values => {
    const booleans = values.filter(value => typeof value === 'boolean')
    const freq = [true, false].map(value => {
      const count = booleans.filter(one => one === value).length
      return { value, count, density: share(count, booleans.length) }
    })
    return { count: booleans.length, freq, uniq: [true, false] }
  },
  'categorical/single': values => frequencies(values.filter(isText)),
  'categorical/multiple': values => frequencies(values.filter(Array.isArray).flat().filter(isText)),
  string: values => ({ count: values.filter(isText).length }),
  json: values => ({ count: values.filter(isJsonObject).length }),
}

const isNumber = (value: Json): value is number => typeof value === 'number'
const isText = (value: Json): value is string => typeof value === 'string'
const share = (count: number, of: number): number => Number((count / of).toFixed(5))

const PERCENTS =
  '0.05 0.1 0.5 1 2.5 5 10 12.5 20 25 30 37.5 40 50 60 62.5 70 75 80 87.5 90 95 97.5 99 99.5 99.9 99.95'.split(' ')
const PAIRS = {
  25: [37.5, 62.5],
  50: [25, 75],
  75: [12.5, 87.5],
  80: [10, 90],
  90: [5, 95],
  95: [2.5, 97.5],
  99: [0.5, 99.5],
  99.9: [0.05, 99.95],
}

function percentile(sorted: readonly number[], percent: number): number {
  const rank = (percent / 100) * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)] as number, sorted[Math.ceil(rank)] as number]
  return low + (high - low) * (rank - Math.floor(rank))
}

function numeric(numbers: readonly number[]): object {
  if (numbers.length === 0) return { count: 0 }
  const sorted = numbers.toSorted((one, other) => one - other)
  const sum = sorted.reduce((total, one) => total + one, 0)
  const [min, max] = [sorted[0] as number, sorted.at(-1) as number]
  const at = (percent: number): number => percentile(sorted, percent)
  const spreads = Object.entries(PAIRS).map(([name, [low, high]]): [string, number] => [
    name,
    at(high as number) - at(low as number),
  ])
  const median = at(50)
  const isLeftOut = at(1) * at(99) < 0 || [1, 99].some(end => Math.abs(median) < Math.abs(at(end)) / 100)
  const pscs = Object.fromEntries(spreads.map(([name, spread]) => [`psc${name}`, median === 0 ? 0 : spread / median]))
  return {
    count: sorted.length,
    sum,
    mean: sum / sorted.length,
    min,
    max,
    range: max - min,
    pcts: Object.fromEntries(PERCENTS.map(name => [`p${name.replace(/^(\d)(\.|$)/, '0$1$2')}`, at(Number(name))])),
    iqrs: Object.fromEntries(spreads.map(([name, spread]) => [`iqr${name}`, spread])),
    ...(isLeftOut ? {} : { pscs }),
  }
}

function frequencies(values: readonly (number | string)[]): object {
  const freq = [...new Set(values)]
    .map(value => ({ value, count: values.filter(one => one === value).length }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .map(one => ({ ...one, density: share(one.count, values.length) }))
  return { count: values.length, freq, uniq: freq.map(one => one.value) }
}

function histogram(numbers: readonly number[], { bins, vmin, vmax, edge = true }: HistogramOptions): Json {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const low = vmin ?? Math.min(least, vmax ?? least)
  const high = vmax ?? Math.max(most, low)
  const wanted = bins ?? Math.ceil(Math.sqrt(numbers.length))
  const count = numbers.length < 2 || least === most || low === high ? 1 : wanted
  const bound = (k: number): number => {
    if (k === 0 || k === count) return k === 0 ? low : high
    return edge ? low + ((high - low) * k) / count : low + ((high - low) * (k - 0.5)) / (count - 1)
  }
  return Array.from({ length: count }, (_, k) => {
    const [start, end] = [bound(k), bound(k + 1)]
    const isLast = k === count - 1
    const inside = numbers.filter(one => one >= start && (isLast || one < end)).length
    return { bin: k + 1, count: inside, interval: [start, end], density: share(inside, numbers.length) }
  })
}
