/**
 * The probability of at most `successes` in `trials` fair tosses that succeed with probability `p`. Summed from the
 * largest term down, in relation to it, so that no term overflows or is lost.
 */
export function binomialAtMost(successes: number, trials: number, p: number): number {
  if (successes < 0) return 0
  if (successes >= trials || p <= 0) return 1
  if (p >= 1) return 0
  const odds = p / (1 - p)
  // Starts at the largest term of the smaller side of the distribution and goes away from its centre.
  if (successes > trials * p) return 1 - upperTail(successes + 1, trials, p)
  let [term, sum] = [1, 1]
  for (let k = successes; k > 0 && term > sum * 1e-17; k--) {
    term *= k / ((trials - k + 1) * odds)
    sum += term
  }
  return Math.min(1, Math.exp(logTerm(successes, trials, p)) * sum)
}

/** The probability of at least `successes`, which are at or above the expected number. */
function upperTail(successes: number, trials: number, p: number): number {
  const odds = p / (1 - p)
  let [term, sum] = [1, 1]
  for (let k = successes; k < trials && term > sum * 1e-17; k++) {
    term *= ((trials - k) * odds) / (k + 1)
    sum += term
  }
  return Math.min(1, Math.exp(logTerm(successes, trials, p)) * sum)
}

/** The logarithm of the probability of exactly this number. */
function logTerm(successes: number, trials: number, p: number): number {
  const ways = logFactorial(trials) - logFactorial(successes) - logFactorial(trials - successes)
  return ways + successes * Math.log(p) + (trials - successes) * Math.log1p(-p)
}

const EXACT_MAX = 200
const LOGS = [0]
for (let n = 1; n <= EXACT_MAX; n++) LOGS.push((LOGS[n - 1] as number) + Math.log(n))

/** Stirling's series, which from 200 on is exact to the last digits of a number. */
function logFactorial(n: number): number {
  if (n <= EXACT_MAX) return LOGS[n] as number
  const inverse = 1 / n
  const series = inverse * (1 / 12 - (inverse * inverse) / 360 + inverse ** 4 / 1260)
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series
}

/** The two-sided sign test: how probable a split at least as uneven is if both sides are equally likely. */
export const signTest = (wins: number, losses: number): number =>
  Math.min(1, 2 * binomialAtMost(Math.min(wins, losses), wins + losses, 0.5))

/**
 * The exact 95 % interval of a probability (Clopper and Pearson 1934): the values that would produce so many successes
 * or more, or so many or fewer, in at least 2.5 % of all experiments.
 */
export function exactInterval(successes: number, trials: number): [low: number, high: number] {
  const low = successes === 0 ? 0 : root(p => 1 - binomialAtMost(successes - 1, trials, p) - 0.025)
  const high = successes === trials ? 1 : root(p => 0.025 - binomialAtMost(successes, trials, p))
  return [low, high]
}

/** Where a function that rises from below 0 to above it is 0, between 0 and 1. */
function root(rising: (p: number) => number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (rising(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}
