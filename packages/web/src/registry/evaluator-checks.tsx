import { type ReactNode, useState } from 'react'
import type { Workflow } from '../api/registry/registry.ts'
import { visible } from '../format/format.ts'
import { FindField } from '../parts/find-field.tsx'
import { hasWords } from '../parts/has-words.ts'

interface EvaluatorChecksProps {
  evaluators: readonly Workflow[]
  isChosen: (id: string) => boolean
  onToggle: (id: string) => void
  /** Of each label. */
  className?: string | undefined
}

/** Evaluators to choose: those whose names have the words that are looked for, and all that are chosen. */
export function EvaluatorChecks({ evaluators, isChosen, onToggle, className }: EvaluatorChecksProps): ReactNode {
  const [words, setWords] = useState('')
  const found = new Set(evaluators.filter(({ name = '', slug }) => hasWords(`${name} ${slug}`, words)))
  return (
    <>
      <FindField
        label="Find an evaluator"
        text={words}
        onChange={setWords}
        all={evaluators.length}
        found={found.size}
      />
      {evaluators
        .filter(one => found.has(one) || isChosen(one.id))
        .map(({ id, name, slug }) => (
          <label key={id} className={className}>
            <input type="checkbox" checked={isChosen(id)} onChange={() => onToggle(id)} /> {visible(name ?? slug)}
          </label>
        ))}
    </>
  )
}
