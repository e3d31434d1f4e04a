import type { ListBody } from '../api/filtering.ts'
import type { ChangeOf } from '../parts/use-change-of.ts'
import type { DashboardSearch } from './search.ts'

/** What a part of the dashboard needs: the request for its rows, what the address says, and how to change it. */
export interface Shown {
  body: ListBody
  search: DashboardSearch
  change: ChangeOf<DashboardSearch>
}
