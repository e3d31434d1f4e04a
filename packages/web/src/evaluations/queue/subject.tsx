import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CaseCell } from '../../api/evaluations.ts'
import { partsQuery } from '../../api/queries.ts'
import { visible } from '../../format/format.ts'
import { PartView } from '../../trace/part-view.tsx'
import { TraceLink } from '../table/annotation.tsx'
import type { CaseModel } from '../table/case-model.ts'
import table from '../table/table.module.css'

interface SubjectProps {
  model: CaseModel
  hasTestcase: boolean
}

/** What is judged: the testcase, or the conversation of the trace, and the output. */
export function Subject({ model, hasTestcase }: SubjectProps): ReactNode {
  const { input, expected, subject } = model
  return (
    <>
      {hasTestcase && input !== undefined && <Text title="Input" text={input} />}
      {!hasTestcase && subject && <Part cell={subject} part="inputs" title="Input" />}
      {expected !== undefined && <Text title="Expected" text={expected} />}
      {subject && <Part cell={subject} part="outputs" title="Output" />}
      <TraceLink cell={subject}>Trace</TraceLink>
    </>
  )
}

const Text = ({ title, text }: { title: string; text: string }): ReactNode => (
  <>
    <h3>{title}</h3>
    <p className={table.text} dir="auto">
      {visible(text)}
    </p>
  </>
)

interface PartProps {
  cell: CaseCell
  part: 'inputs' | 'outputs'
  title: string
}

/** A part that the table has whole is shown at once; a longer one is read from its trace. */
function Part({ cell, part, title }: PartProps): ReactNode {
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
