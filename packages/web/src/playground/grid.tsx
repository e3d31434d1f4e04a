import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { type JsonObject, type Kind, type Revision, randomHex, type Workflow } from '../api/registry.ts'
import { useKeys } from '../frame/keys.ts'
import { Button, Failure } from '../parts/controls.tsx'
import { CellView } from './cell.tsx'
import { ColumnForm } from './column-form.tsx'
import { type Column, columnsOf, type Drafts } from './columns.ts'
import styles from './playground.module.css'
import { fieldsOf, runBody, scoringBy } from './requests.ts'
import { RowForm } from './row-form.tsx'
import type { Row } from './rows.ts'
import { Runs } from './runs.ts'
import { type ChangeSearch, listIn, newColumn, type PlaygroundSearch, textOf } from './search.ts'
import { Sources, useEvaluators } from './sources.tsx'
import { useStored } from './stored.ts'
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
  const [drafts = {}, setDrafts] = useStored<Drafts>(`drafts.${workflow.id}`)
  const columns = columnsOf(listIn(search.columns), revisions, drafts)
  const { rows, own, setOwn, error } = useRows(workflow.id, search)
  const evaluators = useEvaluators(listIn(search.evaluators))
  const [runs] = useState(() => new Runs())
  useEffect(() => () => runs.stop(), [runs])
  const pending = useSyncExternalStore(runs.subscribe, runs.pending)
  const fields = fieldsOf(kind, columns)
  const scorings = (row: Row) => Object.fromEntries(evaluators.map(({ id }) => [id, scoringBy(id, row)]))
  const run = (some: readonly Row[]): void => {
    for (const row of some)
      for (const column of columns) runs.start(`${column.key}/${row.id}`, runBody(kind, column, row), scorings(row))
  }
  const runAll = (): void => run(rows)
  useKeys({ '⌘Enter': runAll, s: () => pending > 0 && runs.stop() })
  const keys = columns.map(({ key }) => key)
  const show = (next: readonly string[]): void => change({ columns: textOf(next) })
  const draft = (key: string, parameters: JsonObject | undefined): void => {
    const { [key]: _, ...others } = drafts
    setDrafts(parameters === undefined ? others : { ...others, [key]: parameters })
  }
  /** Shows a revision in place of a column, whose draft is given up. */
  const replace = (column: Column, revision: Revision): void => {
    draft(column.key, undefined)
    const others = keys.filter(key => key !== column.key)
    show(keys.map(key => (key === column.key ? newColumn(others, revision.id) : key)))
  }
  const copy = (column: Column): void => {
    const key = newColumn(keys, column.revision.id)
    if (column.isDraft) draft(key, column.parameters)
    show(keys.flatMap(one => (one === column.key ? [one, key] : [one])))
  }
  return (
    <>
      <div className={styles.toolbar}>
        <Button look="primary" onClick={runAll} disabled={rows.length === 0}>
          Run all
        </Button>
        <Button onClick={() => runs.stop()} disabled={pending === 0}>
          Stop
        </Button>
        <span role="status" className={styles.soft}>
          {pending > 0 ? `${pending} running` : ''}
        </span>
        <Sources kind={kind} workflow={workflow} search={search} change={change} own={own} />
      </div>
      {error && <Failure what="The testcases cannot be shown." error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div className={styles.scroller} tabIndex={0} role="region" aria-label="Variants and testcases">
        <div className={styles.grid} style={{ '--columns': columns.length }}>
          <h2 className={styles.corner}>
            {rows.length === 1 ? '1 testcase' : `${rows.length} testcases`}
            {own && <Button onClick={() => setOwn([...own, { id: randomHex(12), inputs: {} }])}>Add a testcase</Button>}
          </h2>
          {columns.map(column => (
            <ColumnForm
              key={column.key}
              kind={kind}
              column={column}
              revisions={revisions}
              onChange={parameters => draft(column.key, parameters)}
              onChoose={revision => replace(column, revision)}
              onSaved={revision => replace(column, revision)}
              onCopy={() => copy(column)}
              onRemove={columns.length > 1 ? () => show(keys.filter(key => key !== column.key)) : undefined}
              onRun={runAll}
            />
          ))}
          {rows.map((row, index) => [
            <RowForm
              key={row.id}
              number={index + 1}
              row={row}
              fields={fields}
              hasOutputs={kind === 'evaluator'}
              onChange={own && (next => setOwn(own.map(one => (one.id === row.id ? next : one))))}
              onRemove={own && own.length > 1 ? () => setOwn(own.filter(({ id }) => id !== row.id)) : undefined}
              onRun={() => run([row])}
            />,
            ...columns.map(column => (
              <CellView
                key={`${column.key}/${row.id}`}
                runs={runs}
                cellKey={`${column.key}/${row.id}`}
                label={`Output of ${column.name} for testcase ${index + 1}`}
                column={column.name}
                evaluators={evaluators}
              />
            )),
          ])}
        </div>
      </div>
    </>
  )
}

declare module 'react' {
  interface CSSProperties {
    '--columns'?: number
  }
}
