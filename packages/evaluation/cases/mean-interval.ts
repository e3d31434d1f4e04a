/** A sample of numbers. */
interface Sample {
  count: number
  mean: number
  deviation: number
}

/** The 95 % interval of a mean by Student's distribution; undefined for fewer than two numbers. */
export function meanInterval({ count, mean, deviation }: Sample): [low: number, high: number] | undefined {
  if (count < 2) return undefined
  const margin = (studentQuantile(count - 1) * deviation) / Math.sqrt(count)
  return [mean - margin, mean + margin]
}

/** The exact values where the expansion is too coarse. */
const FIRST = [12.706204736432095, 4.302652729911275, 3.182446305284263, 2.7764451051977987]
const Z = 1.959963984540054

/**
 * The 97.5 % quantile of Student's distribution: the expansion of Cornish and Fisher in the reciprocal of the degrees
 * of freedom, which from five on errs by less than 0.001.
 */
export function studentQuantile(freedom: number): number {
  const exact = FIRST[freedom - 1]
  if (exact !== undefined) return exact
  const first = (Z ** 3 + Z) / 4
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96
  const third = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384
  const fourth = (79 * Z ** 9 + 776 * Z ** 7 + 1_482 * Z ** 5 - 1_920 * Z ** 3 - 945 * Z) / 92_160
  return Z + first / freedom + second / freedom ** 2 + third / freedom ** 3 + fourth / freedom ** 4
}
