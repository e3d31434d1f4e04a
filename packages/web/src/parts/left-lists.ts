/*
 * What the address does not say of a list, so that Back shows it as it was left: when it began, by the entry of the
 * browser's history, and how far it was scrolled, by its name, of which that time is a part.
 */

const begun = new Map<string, number>()
const tops = new Map<string, number>()

/** The oldest of more are forgotten. */
const KEPT_MAX = 200

export const beganAt = (entry: string): number | undefined => begun.get(entry)
export const keepBegan = (entry: string, began: number): void => keep(begun, entry, began)

/** In pixels; undefined: the list was not shown before. */
export const topOf = (list: string): number | undefined => tops.get(list)
export const keepTop = (list: string, top: number): void => keep(tops, list, top)

function keep(kept: Map<string, number>, name: string, value: number): void {
  kept.delete(name)
  kept.set(name, value)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
}
