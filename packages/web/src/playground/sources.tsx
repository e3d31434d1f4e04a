import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Kind, type Workflow, workflowsQuery } from '../api/registry/registry.ts'
import { testsetsQuery } from '../api/registry/testsets.ts'
import { visible } from '../format/format.ts'
import { Button, controls, Failure } from '../parts/controls.tsx'
import { FindSelect } from '../parts/find-select.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { EvaluatorChecks } from '../registry/evaluator-checks.tsx'
import { NewTestset } from '../testsets/new-testset.tsx'
import type { Column } from './columns.ts'
import { EvaluateLink } from './evaluate-link.tsx'
import styles from './playground.module.css'
import type { Row } from './rows.ts'
import { type ChangeSearch, listIn, type PlaygroundSearch, textOf } from './search.ts'

/** Handlers that people answer, not programs. */
const isRunnable = ({ data }: Workflow): boolean => !data?.uri?.includes(':feedback:')

export function useEvaluators(ids: readonly string[]): { id: string; name: string }[] {
  const { data = [] } = useQuery({ ...workflowsQuery('evaluator'), enabled: ids.length > 0 })
  return data.filter(({ id }) => ids.includes(id)).map(({ id, name, slug }) => ({ id, name: name ?? slug }))
}

interface SourcesProps {
  kind: Kind
  workflow: Workflow
  search: PlaygroundSearch
  change: ChangeSearch
  own: readonly Row[] | undefined
  columns: readonly Column[]
}

/** Where the testcases come from, and which evaluators score the outputs. */
export function Sources({ kind, workflow, search, change, own, columns }: SourcesProps): ReactNode {
  const { data: testsets = [], error } = useQuery(testsetsQuery)
  const [isSaving, setIsSaving] = useState(false)
  const source = search.trace === undefined ? (search.testset ?? '') : 'traces'
  const kept = (own ?? []).map(({ inputs, outputs }) => ({ ...inputs, ...(outputs !== undefined && { outputs }) }))
  return (
    <>
      <div className={styles.inline}>
        Testcases
        <FindSelect
          label="Testcases"
          value={source}
          options={[
            { value: '', label: 'typed here', isKept: true },
            ...(search.trace === undefined ? [] : [{ value: 'traces', label: 'of traces', isKept: true }]),
            ...testsets.map(({ id, name, slug }) => ({ value: id, label: visible(name ?? slug) })),
          ]}
          onChange={value => change({ testset: value || undefined, trace: undefined })}
        />
      </div>
      {error && <Failure what="The testsets cannot be listed." error={error} />}
      {search.testset !== undefined && (
        <Link to="/testsets/$id" params={{ id: search.testset }}>
          Open the testset
        </Link>
      )}
      {own && <Button onClick={() => setIsSaving(true)}>Save as testset …</Button>}
      {isSaving && (
        <NewTestset
          name={`${workflow.name ?? workflow.slug} testcases`}
          rows={kept}
          onClose={() => setIsSaving(false)}
          onCreated={({ id }) => {
            setIsSaving(false)
            change({ testset: id, trace: undefined })
          }}
        />
      )}
      {kind === 'application' && search.testset !== undefined && (
        <EvaluateLink columns={columns} testset={search.testset} search={search} />
      )}
      {kind === 'application' && <Evaluators search={search} change={change} />}
      {kind === 'evaluator' && <TraceField search={search} change={change} />}
    </>
  )
}

function Evaluators({ search, change }: Pick<SourcesProps, 'search' | 'change'>): ReactNode {
  const { data, error } = useQuery(workflowsQuery('evaluator'))
  const chosen = listIn(search.evaluators)
  const runnable = data?.filter(isRunnable) ?? []
  const toggle = (id: string): void =>
    change({ evaluators: textOf(chosen.includes(id) ? chosen.filter(one => one !== id) : [...chosen, id]) })
  return (
    <PopoverButton label={chosen.length > 0 ? `Evaluators: ${chosen.length}` : 'Evaluators'}>
      <EvaluatorChecks
        evaluators={runnable}
        isChosen={id => chosen.includes(id)}
        onToggle={toggle}
        className={styles.check}
      />
      {error && <Failure what="The evaluators cannot be listed." error={error} />}
      {data && runnable.length === 0 && <p>This project has no evaluator yet.</p>}
    </PopoverButton>
  )
}

/** The traces that an evaluator judges, by their ids. */
function TraceField({ search, change }: Pick<SourcesProps, 'search' | 'change'>): ReactNode {
  const [text, setText] = useState('')
  const ids = text.toLowerCase().match(/[0-9a-f]{32}/g) ?? []
  return (
    <form
      className={styles.inline}
      onSubmit={event => {
        event.preventDefault()
        if (ids.length === 0) return
        change({ trace: textOf([...new Set([...listIn(search.trace), ...ids])]), testset: undefined })
        setText('')
      }}
    >
      <input
        className={controls.input}
        aria-label="Id of a trace to judge"
        placeholder="Id of a trace"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <Button type="submit" disabled={ids.length === 0}>
        Judge it
      </Button>
    </form>
  )
}
