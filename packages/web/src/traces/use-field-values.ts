import { useQuery } from '@tanstack/react-query'
import { listBody } from '../api/filtering.ts'
import { groupsQuery } from '../api/queries.ts'
import { FIELDS } from './filter-fields.ts'
import type { Window } from './search.ts'

/** Values of a field that are offered. */
const VALUES_MAX = 200

const EVERYTHING = { operator: 'and', conditions: [] } as const

/**
 * The values of a field of the filter line: all of a choice, otherwise those that occur in the window, the most
 * frequent first.
 */
export function useFieldValues(name: string | undefined, window: Window | undefined): readonly string[] {
  const field = name === undefined ? undefined : FIELDS[name]
  const isAsked =
    field !== undefined && window !== undefined && ['id', 'text', 'meaning'].includes(field.kind) && name !== 'trace'
  const by = field?.kind === 'meaning' ? name : field?.field
  // A model is called by spans inside of a trace; everything else is said by its root, too.
  const body = listBody(
    name === 'model' ? 'span' : 'trace',
    { ...EVERYTHING, conditions: [] },
    window ?? { oldest: '', newest: '' },
  )
  const { data } = useQuery({
    ...groupsQuery(body, { by: by ?? '', values: VALUES_MAX }),
    enabled: isAsked,
    staleTime: 60_000,
  })
  if (field?.values) return field.values
  return isAsked ? (data?.groups.flatMap(({ value }) => value ?? []) ?? []) : []
}
