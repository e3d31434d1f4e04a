import { type FilterSearch, readFilterSearch } from '../traces/search.ts'

/** What the address of the dashboard says. */
export interface DashboardSearch extends FilterSearch {
  /** Filters, as text, whose rows have a tile of their own. */
  tiles?: string[] | undefined
}

export const TILES_MAX = 12

export function readDashboardSearch(given: Record<string, unknown>): DashboardSearch {
  const tiles = Array.isArray(given.tiles) ? given.tiles.filter(tile => typeof tile === 'string' && tile !== '') : []
  return { ...readFilterSearch(given), tiles: tiles.length > 0 ? tiles.slice(0, TILES_MAX) : undefined }
}
