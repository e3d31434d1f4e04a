import type { ReactNode } from 'react'
import { visible } from '../../format/format.ts'
import { TraceLink } from '../table/annotation.tsx'
import type { CaseModel } from '../table/case-model.ts'
import { CellPart } from '../table/cell-part.tsx'
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
      {!hasTestcase && subject && <CellPart cell={subject} part="inputs" title="Input" />}
      {expected !== undefined && <Text title="Expected" text={expected} />}
      {subject && <CellPart cell={subject} part="outputs" title="Output" />}
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
