import type { ReactNode } from 'react'
import type { CaseRow, Run } from '../../api/evaluations.ts'
import { formatCost, formatDuration, visible } from '../../format/format.ts'
import { useKeys } from '../../frame/keys.ts'
import { Button, controls, Kbd } from '../../parts/controls.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import { Annotation, TraceLink } from '../table/annotation.tsx'
import type { CaseModel } from '../table/case-model.ts'
import { DiffText } from '../table/diff-text.tsx'
import styles from '../table/table.module.css'

interface CasePanelProps {
  run: Run
  row: CaseRow
  /** Of each repeat of the application. */
  models: readonly CaseModel[]
  isDiff: boolean
  onDiff: () => void
  onClose: () => void
}

/** One case whole: its input, what was expected, what came out, and what each evaluator says. */
export function CasePanel({ run, row, models, isDiff, onDiff, onClose }: CasePanelProps): ReactNode {
  const { input, expected } = models[0] as CaseModel
  useKeys({ Escape: onClose })
  return (
    <section className={styles.panel} aria-label="Case">
      <header>
        <h2>Case {row.scenario_id.slice(-6)}</h2>
        {expected !== undefined && (
          <Button aria-pressed={isDiff} onClick={onDiff}>
            Diff <Kbd>d</Kbd>
          </Button>
        )}
        <Button look="plain" onClick={onClose} aria-label="Close the case">
          ✕
        </Button>
      </header>
      <Scroller className={styles.content} label="Content of the case">
        <Text title="Input" text={input} />
        {expected !== undefined && <Text title="Expected" text={expected} />}
        {models.map((model, at) => (
          <Outcome
            key={model.subject?.repeat_idx ?? 0}
            run={run}
            model={model}
            title={models.length > 1 ? `Output · repeat ${at + 1}` : 'Output'}
            before={isDiff ? expected : undefined}
          />
        ))}
      </Scroller>
    </section>
  )
}

interface OutcomeProps {
  run: Run
  model: CaseModel
  title: string
  /** What the output is compared with. */
  before: string | undefined
}

function Outcome({ run, model, title, before }: OutcomeProps): ReactNode {
  const { output, error, subject, annotations } = model
  return (
    <>
      <h3>
        {title}
        {subject?.duration !== undefined && <span>{formatDuration(subject.duration)}</span>}
        {subject?.costs !== undefined && <span>{formatCost(subject.costs)}</span>}
        <TraceLink cell={subject}>Trace of the application</TraceLink>
      </h3>
      {error !== undefined && <p className={`${controls.notice} ${controls.error}`}>{visible(error)}</p>}
      {output !== undefined && (
        <p className={styles.text} dir="auto">
          <DiffText before={before} after={output} />
          {subject?.outputs_cut && <TraceLink cell={subject}> … the whole output is in the trace</TraceLink>}
        </p>
      )}
      {annotations.map(cell => (
        <Annotation key={`${cell.step_key} ${cell.repeat_idx}`} run={run} cell={cell} />
      ))}
    </>
  )
}

const Text = ({ title, text }: { title: string; text: string | undefined }): ReactNode => (
  <>
    <h3>{title}</h3>
    {text === undefined ? (
      <p className={styles.soft}>There is none.</p>
    ) : (
      <p className={styles.text} dir="auto">
        {visible(text)}
      </p>
    )}
  </>
)
