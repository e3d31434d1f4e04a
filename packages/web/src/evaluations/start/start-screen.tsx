import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId } from 'react'
import { startEvaluation, startTraceEvaluation } from '../../api/evaluations.ts'
import { queryClient } from '../../api/query-client.ts'
import { useRefusal } from '../../api/rights.ts'
import { saveQuery } from '../../api/saved-queries.ts'
import { Button, Choices, controls, Failure } from '../../parts/controls.tsx'
import { useChangeOf } from '../../parts/use-change-of.ts'
import { useTyped } from '../../parts/use-typed.ts'
import { itemsOf, RATE_MAX, REPEATS_MAX, type StartSearch } from '../search.ts'
import { Applications, Evaluators, Testset } from './choices.tsx'
import { filterOf, IncomingTraces } from './incoming-traces.tsx'
import styles from './start.module.css'

/**
 * Starts an evaluation: which testcases and which revisions of applications, or which of the traces that arrive, and
 * which evaluators.
 */
export function StartScreen(): ReactNode {
  const search = useSearch({ from: '/evaluations/new' })
  const navigate = useNavigate()
  const change = useChangeOf<StartSearch>({ replace: true })
  const start = useMutation({
    mutationFn: () => begin(search),
    onSuccess: ([first = '', ...others]) => {
      for (const name of ['runs', 'saved queries']) void queryClient.invalidateQueries({ queryKey: [name] })
      if (others.length === 0) return navigate({ to: '/evaluations/$runId', params: { runId: first } })
      return navigate({ to: '/evaluations/compare', search: { baseline: first, runs: others.join() } })
    },
  })
  const missing = missingOf(search)
  const mayNotSave = useRefusal('edit_queries')
  const mayNotStart = useRefusal('edit_evaluation_runs')
  const isLive = search.source === 'traces'
  const refusal = mayNotStart ?? (isLive ? mayNotSave : undefined)
  const name = useTyped(search.name ?? '', text => change({ name: text || undefined }))
  const repeats = useTyped(String(search.repeats ?? 1), text =>
    change({ repeats: Number(text) > 1 ? Number(text) : undefined }),
  )
  const nameId = useId()
  const repeatsId = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (missing === undefined && refusal === undefined && !start.isPending) start.mutate()
  }
  return (
    <div className={styles.scroller}>
      <form className={styles.form} onSubmit={submit}>
        <h1>New evaluation</h1>
        <p className={styles.field}>
          <label htmlFor={nameId}>Name</label>
          <input id={nameId} className={controls.input} placeholder="Evaluation" {...name} />
        </p>
        <div className={styles.source}>
          <Choices
            label="What is evaluated"
            value={search.source ?? 'testset'}
            choices={[
              ['testset', 'Applications with a testset'],
              ['traces', 'Traces as they arrive'],
            ]}
            onChange={source => change({ source: source === 'testset' ? undefined : source })}
          />
        </div>
        {isLive ? (
          <IncomingTraces search={search} change={change} />
        ) : (
          <>
            <Testset chosen={search.testset} onChange={testset => change({ testset })} />
            <Applications
              chosen={itemsOf(search.applications)}
              onChange={ids => change({ applications: ids.join() || undefined })}
            />
          </>
        )}
        <Evaluators
          chosen={itemsOf(search.evaluators)}
          onChange={items => change({ evaluators: items.join() || undefined })}
        />
        <p className={styles.field}>
          <label htmlFor={repeatsId}>Repeats of each case</label>
          <input
            id={repeatsId}
            className={`${controls.input} ${styles.number}`}
            type="number"
            min={1}
            max={REPEATS_MAX}
            {...repeats}
          />
        </p>
        {start.error && <Failure what="The evaluation was not started." error={start.error} />}
        <footer className={styles.footer}>
          <Button
            type="submit"
            look="primary"
            disabled={missing !== undefined || refusal !== undefined || start.isPending}
          >
            {start.isPending ? 'Starting …' : 'Start'}
          </Button>
          <output>{refusal ?? missing ?? ''}</output>
        </footer>
      </form>
    </div>
  )
}

function missingOf({ source, q, testset, applications, evaluators }: StartSearch): string | undefined {
  if (source === 'traces' && filterOf(q) === undefined) return 'Correct the filter.'
  if (source !== 'traces' && testset === undefined) return 'Choose a testset.'
  if (source !== 'traces' && applications === undefined) return 'Choose an application.'
  if (evaluators === undefined) return 'Choose an evaluator.'
  return undefined
}

/** Starts what an address says. The filter of traces is kept as a saved one. Returns the ids of the runs. */
async function begin({ name = 'Evaluation', source, testset = '', repeats = 1, ...rest }: StartSearch) {
  const evaluators = Object.fromEntries(
    itemsOf(rest.evaluators).map(item => {
      const [id = '', by] = item.split(':')
      return [id, by === 'human' ? 'human' : 'auto'] as const
    }),
  )
  const evaluating = { name, evaluators, repeats }
  const filtering = filterOf(rest.q)
  if (source !== 'traces' || filtering === undefined)
    return startEvaluation({ ...evaluating, testset, applications: itemsOf(rest.applications) })
  const query = await saveQuery({ name, focus: 'trace', filtering, rate: (rest.rate ?? RATE_MAX) / 100 })
  return startTraceEvaluation({ ...evaluating, query: query.revision_id ?? '', isLive: true })
}
