/**
 * The exact sign test, on both sides: how likely preferences at least as uneven are if people had no preference. Ties
 * are left out.
 */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses
  // The logarithms of the binomial distribution: how often k of n can be chosen is soon more than a number can hold.
  let [term, sum] = [-n * Math.LN2, 0]
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    sum += Math.exp(term)
    term += Math.log((n - k) / (k + 1))
  }
  return Math.min(1, 2 * sum)
}
