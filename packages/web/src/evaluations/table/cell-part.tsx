import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CaseCell } from '../../api/evaluations.ts'
import { partsQuery } from '../../api/queries.ts'
import { PartView } from '../../trace/part-view.tsx'

interface CellPartProps {
  cell: CaseCell
  part: 'inputs' | 'outputs'
  title: string
}

/**
 * The input or output of a cell. One that the table has whole is shown at once; a longer one is read from its trace.
 */
export function CellPart({ cell, part, title }: CellPartProps): ReactNode {
  const { trace_id = '', span_id = '' } = cell
  const isCut = cell[`${part}_cut`] === true
  const { data } = useQuery({ ...partsQuery(trace_id, span_id), enabled: isCut })
  const value = cell[part]
  if (value === undefined) return null
  const text = JSON.stringify(value)
  const known = { part, text, characters: text.length, offset: 0 }
  const range = (isCut && data?.parts.find(one => one.part === part)) || known
  return <PartView key={`${trace_id} ${range.characters}`} title={title} part={range} ids={{ trace_id, span_id }} />
}
