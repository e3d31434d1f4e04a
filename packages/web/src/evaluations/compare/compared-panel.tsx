import type { ReactNode } from 'react'
import type { ComparedCase, Run } from '../../api/evaluations.ts'
import { formatCost, formatDuration, visible } from '../../format/format.ts'
import { useKeys } from '../../frame/keys.ts'
import { Button, controls, Kbd } from '../../parts/controls.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import type { CompareSearch } from '../search.ts'
import { Annotation, TraceLink } from '../table/annotation.tsx'
import type { CaseModel } from '../table/case-model.ts'
import { DiffText } from '../table/diff-text.tsx'
import table from '../table/table.module.css'
import { runName } from './score-table.tsx'
import { comparedWith, type Sides } from './use-sides.ts'

interface ComparedPanelProps {
  baseline: Run
  run: Run
  row: ComparedCase
  sides: Sides
  diff: CompareSearch['diff']
  onClose: () => void
}

/** One case in both runs: what came out, and what the evaluators say of it. */
export function ComparedPanel({ baseline, run, row, sides, diff, onClose }: ComparedPanelProps): ReactNode {
  useKeys({ Escape: onClose })
  const { input, expected } = sides.candidate ?? sides.baseline ?? {}
  return (
    <section className={table.panel} aria-label="Compared case">
      <header>
        <h2>Case {row.baseline.scenario_id.slice(-6)}</h2>
        <Button look="plain" onClick={onClose} aria-label="Close the case">
          ✕
        </Button>
      </header>
      <Scroller className={table.content} label="Content of the case">
        <h3>Input</h3>
        <p className={table.text} dir="auto">
          {visible(input ?? '')}
        </p>
        {expected !== undefined && (
          <>
            <h3>Expected</h3>
            <p className={table.text} dir="auto">
              {visible(expected)}
            </p>
          </>
        )}
        <Side
          run={baseline}
          model={sides.baseline}
          before={diff === 'expected' ? sides.baseline?.expected : undefined}
          traceKey="b"
          side="baseline"
        />
        <Side run={run} model={sides.candidate} before={comparedWith(sides, diff)} traceKey="t" side="run" />
      </Scroller>
    </section>
  )
}

interface SideProps {
  run: Run
  model: CaseModel | undefined
  /** What the output is compared with. */
  before: string | undefined
  traceKey: string
  side: string
}

function Side({ run, model, before, traceKey, side }: SideProps): ReactNode {
  const { subject, output, error, annotations = [] } = model ?? {}
  return (
    <>
      <h3>
        {runName(run)} ({side}){subject?.duration !== undefined && <span>{formatDuration(subject.duration)}</span>}
        {subject?.costs !== undefined && <span>{formatCost(subject.costs)}</span>}
        <TraceLink cell={subject}>
          Trace of the {side} <Kbd>{traceKey}</Kbd>
        </TraceLink>
      </h3>
      {error !== undefined && <p className={`${controls.notice} ${controls.error}`}>{visible(error)}</p>}
      {output !== undefined && (
        <p className={table.text} dir="auto">
          <DiffText before={before} after={output} />
        </p>
      )}
      {annotations.map(cell => (
        <Annotation key={`${cell.step_key} ${cell.repeat_idx}`} run={run} cell={cell} />
      ))}
    </>
  )
}
