import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Run, Step } from '../../api/evaluations.ts'
import type { Json, Revision } from '../../api/registry/registry.ts'
import { revisionQuery } from '../../api/registry/revisions.ts'
import { MISSING, visible } from '../../format/format.ts'
import { Scroller } from '../../parts/scroller.tsx'
import { pinnedOf, revisionOf, stepsOf, titleOf } from '../table/case-model.ts'
import { DiffText } from '../table/diff-text.tsx'
import styles from './compare.module.css'
import { RunName } from './score-table.tsx'

/** What the runs are made of where they differ: pinned revisions, and what applications and evaluators consist of. */
export function Configuration({ runs }: { runs: readonly Run[] }): ReactNode {
  const revisions = useRevisions(runs)
  const rows = rowsOf(runs, revisions)
  const [isWide] = useState(() => matchMedia('(min-width: 720px)').matches)
  const differing = rows.filter(({ values }) => new Set(values).size > 1)
  return (
    <details className={styles.configuration} open={isWide}>
      <summary>
        Configuration: {differing.length === 0 ? 'no difference' : `${differing.length} differ`},{' '}
        {rows.length - differing.length} equal
      </summary>
      {differing.length > 0 && (
        <Scroller className={styles.scores} label="Configuration">
          <table>
            <thead>
              <tr>
                <th>What</th>
                {runs.map((run, index) => (
                  <th key={run.id}>
                    <RunName run={run} /> {index === 0 && '(baseline)'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {differing.map(({ name, values }) => (
                <tr key={name}>
                  <th scope="row">{visible(name)}</th>
                  {values.map((value, index) => (
                    <td key={runs[index]?.id} className={styles.value}>
                      {value === undefined ? (
                        MISSING
                      ) : (
                        <DiffText before={index > 0 && value.length > SHORT ? values[0] : undefined} after={value} />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </details>
  )
}

/** Short values are seen to differ without help. */
const SHORT = 24

const kindOf = ({ type }: Step): 'application' | 'evaluator' | undefined =>
  ({ invocation: 'application', annotation: 'evaluator', input: undefined })[type] as 'application' | undefined

/** The revisions of applications and evaluators that the runs pin, by their ids. */
function useRevisions(runs: readonly Run[]): Map<string, Revision> {
  const pinned = new Map(
    runs.flatMap(run =>
      stepsOf(run).flatMap(step => {
        const [kind, id] = [kindOf(step), revisionOf(step)?.id]
        return kind && id ? [[id, kind] as const] : []
      }),
    ),
  )
  return useQueries({
    queries: [...pinned].map(([id, kind]) => revisionQuery(kind, id)),
    combine: results => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  })
}

interface ConfigurationRow {
  name: string
  /** One for each run. */
  values: (string | undefined)[]
}

function rowsOf(runs: readonly Run[], revisions: ReadonlyMap<string, Revision>): ConfigurationRow[] {
  const columns = runs.map(run => membersOf(run, revisions))
  const names = [...new Set(columns.flatMap(column => [...column.keys()]))]
  return names.map(name => ({ name, values: columns.map(column => column.get(name)) }))
}

/** Everything that a run is configured with, by name. Steps of one type are told apart by their place. */
function membersOf(run: Run, revisions: ReadonlyMap<string, Revision>): Map<string, string> {
  const members = new Map<string, string>()
  const counts = { input: 0, invocation: 0, annotation: 0 }
  for (const step of stepsOf(run)) {
    const at = ++counts[step.type]
    const place = { input: 'Input', invocation: 'Application', annotation: 'Evaluator' }[step.type]
    const name = step.type === 'annotation' ? `${place} ${titleOf(step)}` : at > 1 ? `${place} ${at}` : place
    const revision = revisionOf(step)
    members.set(name, pinnedOf(step))
    if (step.type === 'annotation') members.set(`${name}: by`, step.origin)
    const { uri, parameters = {}, schemas: _, ...rest } = revisions.get(revision?.id ?? '')?.data ?? {}
    if (uri) members.set(`${name}: handler`, uri)
    // A script, the address of a hook and so on.
    for (const part of [parameters, rest]) flatten(part as Json, `${name}: `, members)
  }
  members.set('Repeats', String(run.data?.repeats ?? 1))
  return members
}

function flatten(value: Json, name: string, members: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) members.set(name.replace(/[.:] ?$/, ''), String(value))
  else for (const [key, one] of Object.entries(value)) flatten(one, `${name}${key}.`, members)
}
