/*
 * Agreement between raters. Ratings come unit by unit: `units[u][r]` is what rater r says of unit u, undefined where
 * they say nothing. A coefficient is 1 for full agreement and 0 for what chance would give; it is undefined where it
 * does not exist, because there are too few ratings or because all of them are equal.
 */

export type Rating = string | number | boolean
export type Units = readonly (readonly (Rating | undefined)[])[]

/** How far apart two ratings are: `nominal`: equal or not; `interval`: the square of their difference. */
export type Level = 'nominal' | 'interval'

/**
 * Krippendorff's alpha (K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011). It takes any number of
 * raters and missing ratings; units with a single rating say nothing.
 */
export function krippendorffAlpha(units: Units, level: Level): number | undefined {
  const rated = units.map(present).filter(ratings => ratings.length > 1)
  const all = rated.flat()
  const [differ, offset] = [DIFFERENCES[level], level === 'interval' ? mean(all as number[]) : 0]
  const expected = differ(all, offset)
  if (expected === 0) return undefined
  const observed = sum(rated.map(ratings => differ(ratings, offset) / (ratings.length - 1)))
  return 1 - ((all.length - 1) * observed) / expected
}

/** The differences of all ordered pairs of ratings, in linear time. */
const DIFFERENCES: Record<Level, (ratings: readonly Rating[], offset: number) => number> = {
  nominal: ratings => ratings.length ** 2 - sum([...counts(ratings).values()].map(count => count ** 2)),
  // About the mean of all ratings, so that large numbers do not cancel out.
  interval: (ratings, offset) => {
    const values = (ratings as number[]).map(value => value - offset)
    return 2 * (values.length * sum(values.map(value => value ** 2)) - sum(values) ** 2)
  },
}

/**
 * Cohen's kappa of two raters (J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960), over the units that
 * both have rated.
 */
export function cohenKappa(units: Units): number | undefined {
  const pairs = units.filter(([one, other]) => one !== undefined && other !== undefined) as [Rating, Rating][]
  const share = (part: number): number => part / pairs.length
  const [first, second] = [counts(pairs.map(([one]) => one)), counts(pairs.map(([, other]) => other))]
  const observed = share(pairs.filter(([one, other]) => one === other).length)
  return aboveChance(observed, sum([...first].map(([value, count]) => share(count) * share(second.get(value) ?? 0))))
}

/**
 * Fleiss' kappa (J. L. Fleiss, "Measuring nominal scale agreement among many raters", 1971), over the units that all
 * raters have rated.
 */
export function fleissKappa(units: Units): number | undefined {
  const complete = units.filter(ratings => ratings.length > 1 && present(ratings).length === ratings.length)
  const all = complete.flatMap(present)
  const agreeing = (ratings: readonly Rating[]): number =>
    sum([...counts(ratings).values()].map(count => count * (count - 1))) / (ratings.length * (ratings.length - 1))
  const observed = sum(complete.map(ratings => agreeing(present(ratings)))) / complete.length
  return aboveChance(observed, sum([...counts(all).values()].map(count => (count / all.length) ** 2)))
}

/** Undefined for 0 / 0: no unit, or nothing but one value. */
function aboveChance(observed: number, expected: number): number | undefined {
  return Number.isNaN(observed) || expected >= 1 ? undefined : (observed - expected) / (1 - expected)
}

const present = (ratings: readonly (Rating | undefined)[]): Rating[] => ratings.filter(one => one !== undefined)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length)

function counts(ratings: readonly Rating[]): Map<Rating, number> {
  const found = new Map<Rating, number>()
  for (const rating of ratings) found.set(rating, (found.get(rating) ?? 0) + 1)
  return found
}
