import type { ListBody } from '../api/filtering.ts'
import type { FilterSearch } from '../traces/search.ts'

/** What a part of the dashboard needs: the request for its rows, what the address says, and how to change it. */
export interface Shown {
  body: ListBody
  search: FilterSearch
  change: (changes: Partial<FilterSearch>, options?: { replace?: boolean }) => void
}
