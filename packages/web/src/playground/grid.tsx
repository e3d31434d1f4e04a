import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { type Kind, type Revision, randomHex, type Workflow } from '../api/registry/registry.ts'
import { formatNumberOf } from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { Button, Failure } from '../parts/controls.tsx'
import { NameForm } from '../parts/name-form.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { CellView } from './cell.tsx'
import { ColumnForm } from './column-form.tsx'
import styles from './playground.module.css'
import { fieldsOf, runBody, scoringBy, withoutInputs } from './requests.ts'
import { RowForm } from './row-form.tsx'
import type { Row } from './rows.ts'
import { Runs } from './runs.ts'
import { type ChangeSearch, listIn, type PlaygroundSearch } from './search.ts'
import { Sources, useEvaluators } from './sources.tsx'
import { useColumns } from './use-columns.ts'
import { useRows } from './use-rows.ts'

interface GridProps {
  kind: Kind
  workflow: Workflow
  revisions: readonly Revision[]
  search: PlaygroundSearch
  change: ChangeSearch
}

/** The variants as columns and the testcases as rows, with a run in each cell. */
export function Grid({ kind, workflow, revisions, search, change }: GridProps): ReactNode {
  const { columns, hidden, ...of } = useColumns(workflow.id, revisions, { search, change })
  const { rows, own, setOwn, error } = useRows(workflow.id, search)
  const evaluators = useEvaluators(listIn(search.evaluators))
  const part = useKeptFocus<HTMLDivElement>()
  const [runs] = useState(() => new Runs())
  useEffect(() => () => runs.stop(), [runs])
  const run = (some: readonly Row[]): void => {
    for (const row of some) {
      const scorings = Object.fromEntries(evaluators.map(({ id }) => [id, scoringBy(id, row)]))
      for (const column of columns) runs.start(`${column.key}/${row.id}`, runBody(kind, column, row), scorings)
    }
  }
  const runAll = (): void => run(rows)
  /** The rows from elsewhere become rows that are typed here. */
  const copyRows = (): void => {
    setOwn(
      rows.map(({ inputs, outputs }) => ({ id: randomHex(12), inputs, ...(outputs !== undefined && { outputs }) })),
    )
    change({ testset: undefined, trace: undefined })
  }
  return (
    <>
      <div className={styles.toolbar}>
        <RunControls runs={runs} onRun={rows.length > 0 ? runAll : undefined} />
        <Sources kind={kind} workflow={workflow} search={search} change={change} own={own} columns={columns} />
        {own === undefined && (
          <Button disabled={rows.length === 0} onClick={copyRows}>
            Copy to edit
          </Button>
        )}
        {hidden.map(column => (
          <Button key={column.key} onClick={() => of.add(column)}>
            Show the draft of {column.name}
          </Button>
        ))}
      </div>
      {error && <Failure what="The testcases cannot be shown." error={error} />}
      <Scroller className={styles.scroller} label="Variants and testcases">
        <div ref={part} className={styles.grid} style={{ '--columns': columns.length }}>
          <Corner count={rows.length} own={own} setOwn={setOwn} />
          {columns.map(column => (
            <ColumnForm
              key={column.key}
              kind={kind}
              column={column}
              revisions={revisions}
              onChange={configuration => of.draft(column, configuration)}
              onChoose={revision => of.replace(column, revision)}
              onCommitted={revision => of.commit(column, revision)}
              onCopy={() => of.copy(column)}
              onRemove={columns.length > 1 ? () => of.remove(column) : undefined}
              onRun={runAll}
            />
          ))}
          {rows.map((row, index) => [
            <RowForm
              key={row.id}
              number={index + 1}
              row={row}
              fields={fieldsOf(kind, columns)}
              withoutFields={withoutInputs(columns)}
              hasOutputs={kind === 'evaluator'}
              onChange={own && (next => setOwn(own.map(one => (one.id === row.id ? next : one))))}
              onRemove={own && own.length > 1 ? () => setOwn(own.filter(({ id }) => id !== row.id)) : undefined}
              onRun={() => run([row])}
            />,
            ...columns.map(({ key, name }) => (
              <CellView
                key={`${key}/${row.id}`}
                runs={runs}
                cellKey={`${key}/${row.id}`}
                label={`Output of ${name} for testcase ${index + 1}`}
                column={name}
                evaluators={evaluators}
              />
            )),
          ])}
        </div>
      </Scroller>
    </>
  )
}

/** Runs everything, says how much is still running, and stops it. */
function RunControls({ runs, onRun }: { runs: Runs; onRun: (() => void) | undefined }): ReactNode {
  const pending = useSyncExternalStore(runs.subscribe, runs.pending)
  useKeys({ '⌘Enter': onRun, s: () => pending > 0 && runs.stop() })
  return (
    <>
      <Button look="primary" onClick={onRun} disabled={onRun === undefined}>
        Run all
      </Button>
      <Button onClick={() => runs.stop()} disabled={pending === 0}>
        Stop
      </Button>
      <span role="status" className={styles.soft}>
        {pending > 0 ? `${pending} running` : ''}
      </span>
    </>
  )
}

interface CornerProps {
  count: number
  own: readonly Row[] | undefined
  setOwn: (rows: readonly Row[]) => void
}

/** How many rows there are; those that are typed here can get more, and more inputs. */
const Corner = ({ count, own, setOwn }: CornerProps): ReactNode => (
  <div className={styles.corner}>
    <h2>{formatNumberOf(count, 'testcase')}</h2>
    {own && (
      <>
        <Button onClick={() => setOwn([...own, { id: randomHex(12), inputs: {} }])}>Add a testcase</Button>
        <PopoverButton label="Add an input">
          <NameForm
            label="Name of the input"
            isTaken={name => own.every(({ inputs }) => Object.hasOwn(inputs, name))}
            onAdd={name => setOwn(own.map(row => ({ ...row, inputs: { [name]: '', ...row.inputs } })))}
          />
        </PopoverButton>
      </>
    )}
  </div>
)

declare module 'react' {
  interface CSSProperties {
    '--columns'?: number
  }
}
