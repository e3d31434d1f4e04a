import type { ReactNode } from 'react'
import type { Run, RunScores } from '../../api/evaluations.ts'
import { formatCount, visible } from '../../format/format.ts'
import type { RunSearch } from '../search.ts'
import { stepsOf, titleOf } from '../table/case-model.ts'
import styles from './run.module.css'

interface FailuresProps {
  run: Run
  failures: RunScores['failures']
  chosen: RunSearch['failure']
  onChoose: (failure: RunSearch['failure']) => void
}

/** Why cases failed, the most frequent reason first; a click shows the cases of one. */
export function Failures({ run, failures, chosen, onChoose }: FailuresProps): ReactNode {
  if (failures.length === 0) return null
  const titles = new Map(stepsOf(run).map(step => [step.key, titleOf(step)]))
  return (
    <ul className={styles.failures} aria-label="Failures by reason">
      {failures.map(({ step_key, reason, scenarios }) => {
        const isChosen = chosen?.step_key === step_key && chosen.reason === reason
        const text = `${titles.get(step_key) ?? step_key}: ${visible(reason)}`
        return (
          <li key={`${step_key} ${reason}`}>
            <button
              type="button"
              aria-pressed={isChosen}
              title={text}
              onClick={() => onChoose(isChosen ? undefined : { step_key, reason })}
            >
              {formatCount(scenarios)} × {text}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
