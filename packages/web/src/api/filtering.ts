/** A condition of a filter, as the interface takes it. */
export interface Condition {
  field: string
  key?: string
  operator: string
  value?: unknown
}

/** A group of conditions and groups. */
export interface Group {
  operator: 'and' | 'or' | 'not'
  conditions: (Condition | Group)[]
}

/** What a list shows: roots stand for their traces. */
export type Focus = 'trace' | 'span'

const IS_ROOT: Condition = { field: 'parent_id', operator: 'is', value: null }

/**
 * The members of a request for the rows of a list. Traces are found by their root, which has their totals: so counts of
 * values and what a click on them finds are the same rows.
 */
export const listBody = (focus: Focus, filter: Group, window: { oldest: string; newest: string }) => ({
  focus: 'span',
  filtering: { operator: 'and', conditions: [...(focus === 'trace' ? [IS_ROOT] : []), filter] },
  windowing: window,
})
export type ListBody = ReturnType<typeof listBody>

/** The traces whose roots match, for what is asked about all of their spans. */
export const ofWholeTraces = (body: ListBody): ListBody => ({ ...body, focus: 'trace' })
