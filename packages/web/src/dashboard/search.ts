import { type FilterSearch, readFilterSearch } from '../traces/search.ts'

/** What the address of the dashboard says. */
export interface DashboardSearch extends FilterSearch {
  /** Filters, as text, whose rows have a tile of their own. */
  tiles?: string[] | undefined
  /** The tables that show more than their first rows, by what they group by. */
  full?: string[] | undefined
}

export const TILES_MAX = 12

export function readDashboardSearch(given: Record<string, unknown>): DashboardSearch {
  const { tiles, full } = given
  return { ...readFilterSearch(given), tiles: textsIn(tiles)?.slice(0, TILES_MAX), full: textsIn(full) }
}

function textsIn(given: unknown): string[] | undefined {
  const texts = Array.isArray(given) ? given.filter(text => typeof text === 'string' && text !== '') : []
  return texts.length > 0 ? texts : undefined
}
