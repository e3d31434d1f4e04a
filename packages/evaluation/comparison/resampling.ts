/*
 * Statistics of paired differences by resampling. The generator starts from a fixed seed, so that the same numbers
 * always have the same answer.
 */

/** Draws in all resamples of one score, which bound the time (about 3 ns each); more pairs have fewer resamples. */
const DRAWS_MAX = 10_000_000
const RESAMPLES_MAX = 4_000
export const RESAMPLES_MIN = 1_000

const resamplesOf = (pairs: number): number =>
  Math.max(RESAMPLES_MIN, Math.min(RESAMPLES_MAX, Math.floor(DRAWS_MAX / pairs)))

/** Up to so many differences that are not zero, all their signs are tried. */
const EXACT_SIGNS_MAX = 14

const SEED = 0x5eed1234

/** Uniform 32-bit integers: sfc32 by Chris Doty-Humphrey. */
function randomIntegers(): () => number {
  let [a, b, c, counter] = [SEED, SEED ^ 0x9e3779b9, SEED ^ 0x243f6a88, 1]
  const next = (): number => {
    const result = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + result
    return result >>> 0
  }
  for (let warmUp = 0; warmUp < 12; warmUp++) next()
  return next
}

/** The 95 % interval of the mean, from the means of resamples with replacement (the percentile bootstrap). */
export function bootstrapInterval(differences: Float64Array): [low: number, high: number] {
  const { length } = differences
  const random = randomIntegers()
  const scale = length / 2 ** 32
  const means = new Float64Array(resamplesOf(length))
  for (let resample = 0; resample < means.length; resample++) {
    let sum = 0
    for (let draw = 0; draw < length; draw++) sum += differences[(random() * scale) | 0] as number
    means[resample] = sum / length
  }
  means.sort()
  return [quantile(means, 0.025), quantile(means, 0.975)]
}

function quantile(sorted: Float64Array, share: number): number {
  const rank = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)] as number, sorted[Math.ceil(rank)] as number]
  return low + (high - low) * (rank - Math.floor(rank))
}

/**
 * How probable a mean at least as far from zero is if each difference might as well have had the other sign (a two-sided
 * permutation test). Exact for few differences; otherwise among random signs, of which the given ones are one.
 */
export function signFlipTest(differences: Float64Array): number {
  const sizes = differences.filter(one => one !== 0)
  if (sizes.length === 0) return 1
  const observed = Math.abs(sizes.reduce((sum, one) => sum + one, 0))
  // Sums that should be equal differ in their last digits.
  const limit = observed - 1e-12 * sizes.reduce((sum, one) => sum + Math.abs(one), 0)
  return sizes.length <= EXACT_SIGNS_MAX ? allSigns(sizes, limit) : randomSigns(sizes, limit)
}

function allSigns(sizes: Float64Array, limit: number): number {
  const ways = 2 ** sizes.length
  let extreme = 0
  for (let signs = 0; signs < ways; signs++) {
    let sum = 0
    for (let index = 0; index < sizes.length; index++)
      sum += (signs >> index) & 1 ? -(sizes[index] as number) : (sizes[index] as number)
    if (Math.abs(sum) >= limit) extreme++
  }
  return extreme / ways
}

function randomSigns(sizes: Float64Array, limit: number): number {
  const random = randomIntegers()
  const resamples = resamplesOf(sizes.length)
  let extreme = 1
  for (let resample = 0; resample < resamples; resample++) {
    let [sum, bits] = [0, 0]
    for (let index = 0; index < sizes.length; index++) {
      bits = index % 32 === 0 ? random() : bits >>> 1
      sum += bits & 1 ? -(sizes[index] as number) : (sizes[index] as number)
    }
    if (Math.abs(sum) >= limit) extreme++
  }
  return extreme / (resamples + 1)
}
