/*
 * Statistics of paired differences by resampling. The generator starts from a fixed seed, so that the same numbers
 * always have the same answer.
 */

/** Resamples of one score, of as many draws as there are values. */
const RESAMPLES = 2_000
/** More differences than this are drawn in random groups. */
const GROUPS_MAX = 1_000

/** Up to this number of differences that are not zero, all their signs are tried. */
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

/**
 * The 95 % interval of the mean, from the means of resamples with replacement (the percentile bootstrap). Of many
 * differences, random groups of equal size are drawn instead of single ones: the mean of groups varies as the mean of
 * their members does.
 */
export function bootstrapInterval(differences: Float64Array): [low: number, high: number] {
  const random = randomIntegers()
  const values = groupMeans(differences, random)
  const { length } = values
  const scale = length / 2 ** 32
  const means = new Float64Array(RESAMPLES)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0
    for (let draw = 0; draw < length; draw++) sum += values[(random() * scale) | 0] as number
    means[resample] = sum / length
  }
  means.sort()
  return [quantile(means, 0.025), quantile(means, 0.975)]
}

/** The means of at most {@link GROUPS_MAX} random groups; only the last may be smaller. */
function groupMeans(differences: Float64Array, random: () => number): Float64Array {
  const size = Math.ceil(differences.length / GROUPS_MAX)
  if (size <= 1) return differences
  const left = differences.slice()
  const means = new Float64Array(Math.ceil(left.length / size))
  for (let index = 0; index < left.length; index++) {
    const chosen = index + Math.floor((random() / 2 ** 32) * (left.length - index))
    const value = left[chosen] as number
    left[chosen] = left[index] as number
    const group = Math.floor(index / size)
    means[group] = (means[group] as number) + value / Math.min(size, left.length - group * size)
  }
  return means
}

function quantile(sorted: Float64Array, share: number): number {
  const rank = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)] as number, sorted[Math.ceil(rank)] as number]
  return low + (high - low) * (rank - Math.floor(rank))
}

/**
 * How probable a mean at least as far from zero is if each difference might as well have had the other sign (a
 * two-sided permutation test). Exact for few differences; for many from the normal distribution, provided that it is as
 * near as random signs would be; otherwise among random signs, of which the given ones are one, and at most the bound of
 * Hoeffding: a share of some thousand random signs says no more than that it is rarer than all of them.
 */
export function signFlipTest(differences: Float64Array): number {
  const sizes = differences.filter(one => one !== 0).map(Math.abs)
  if (sizes.length === 0) return 1
  const observed = Math.abs(differences.reduce((sum, one) => sum + one, 0))
  // Sums that should be equal differ in their last digits.
  const limit = observed - 1e-12 * sizes.reduce((sum, one) => sum + one, 0)
  if (sizes.length <= EXACT_SIGNS_MAX) return allSigns(sizes, limit)
  const deviation = Math.sqrt(sizes.reduce((sum, one) => sum + one ** 2, 0))
  const z = observed / deviation
  if (distanceFromNormal(sizes, deviation) < NORMAL_DISTANCE_MAX) return 2 * normalTail(z)
  const bound = 2 * Math.exp(-(z ** 2) / 2)
  return bound < 1 / RESAMPLES_MAX ? bound : Math.min(bound, randomSigns(sizes, limit))
}

/** About the standard error of a share of a thousand random signs. */
const NORMAL_DISTANCE_MAX = 0.02

/**
 * How far the distribution of sums with random signs can be from the normal one: the bound of Berry and Esseen. It is
 * large if there are few values, or if some are much larger than the others.
 */
function distanceFromNormal(sizes: Float64Array, deviation: number): number {
  return 0.56 * sizes.reduce((sum, one) => sum + (one / deviation) ** 3, 0)
}

/**
 * The probability of a standard normal value above `z`, which is not negative: Mills' ratio by its continued fraction,
 * or near the centre, where that converges slowly, the distribution function by its series.
 */
function normalTail(z: number): number {
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI)
  if (z < 3) {
    let [term, sum] = [z, z]
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= z ** 2 / (2 * n + 1)
      sum += term
    }
    return Math.max(0, 0.5 - density * sum)
  }
  let fraction = z
  for (let n = 60; n > 0; n--) fraction = z + n / fraction
  return density / fraction
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

/** Signs in all resamples, which bound the time; more values have fewer resamples. */
const SIGNS_MAX = 10_000_000
const RESAMPLES_MIN = 1_000
const RESAMPLES_MAX = 4_000

function randomSigns(sizes: Float64Array, limit: number): number {
  const random = randomIntegers()
  const resamples = Math.max(RESAMPLES_MIN, Math.min(RESAMPLES_MAX, Math.floor(SIGNS_MAX / sizes.length)))
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
