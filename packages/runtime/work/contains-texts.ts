/**
 * Whether a text contains all of the sought texts, or any of them. May take as long as the lengths multiplied: the
 * engine's search is not linear, so `ab…` of many characters in as many `a` takes minutes.
 */
export function containsTexts(text: string, sought: readonly string[], extent: 'all' | 'any'): boolean {
  const isIn = (one: string): boolean => text.includes(one)
  return extent === 'all' ? sought.every(isIn) : sought.some(isIn)
}
