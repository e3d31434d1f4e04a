/**
 * The exact sign test, on both sides: how likely preferences at least as uneven are if people had no preference. Ties
 * are left out.
 */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses
  let [term, sum] = [1, 0]
  // The terms of the binomial distribution, relative to the first one.
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    sum += term
    term *= (n - k) / (k + 1)
  }
  return Math.min(1, 2 * Math.exp(Math.log(sum) - n * Math.LN2))
}
