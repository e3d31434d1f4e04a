import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId } from 'react'
import { startEvaluation } from '../../api/evaluations.ts'
import { queryClient } from '../../api/query-client.ts'
import { useRefusal } from '../../api/rights.ts'
import { Button, controls, Failure } from '../../parts/controls.tsx'
import { useChangeOf } from '../../parts/use-change-of.ts'
import { useTyped } from '../../parts/use-typed.ts'
import { itemsOf, REPEATS_MAX, type StartSearch } from '../search.ts'
import { Applications, Evaluators, Testset } from './choices.tsx'
import styles from './start.module.css'

/** Starts an evaluation: which testcases, which revisions of applications, which evaluators. */
export function StartScreen(): ReactNode {
  const search = useSearch({ from: '/evaluations/new' })
  const navigate = useNavigate()
  const change = useChangeOf<StartSearch>({ replace: true })
  const start = useMutation({
    mutationFn: () => startEvaluation(evaluationOf(search)),
    onSuccess: ([first = '', ...others]) => {
      void queryClient.invalidateQueries({ queryKey: ['runs'] })
      if (others.length === 0) return navigate({ to: '/evaluations/$runId', params: { runId: first } })
      return navigate({ to: '/evaluations/compare', search: { baseline: first, runs: others.join() } })
    },
  })
  const missing = missingOf(search)
  const refusal = useRefusal('edit_evaluation_runs')
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
        <Testset chosen={search.testset} onChange={testset => change({ testset })} />
        <Applications
          chosen={itemsOf(search.applications)}
          onChange={ids => change({ applications: ids.join() || undefined })}
        />
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

function missingOf({ testset, applications, evaluators }: StartSearch): string | undefined {
  if (testset === undefined) return 'Choose a testset.'
  if (applications === undefined) return 'Choose an application.'
  if (evaluators === undefined) return 'Choose an evaluator.'
  return undefined
}

const evaluationOf = ({ name, testset = '', applications, evaluators, repeats = 1 }: StartSearch) => ({
  name: name ?? 'Evaluation',
  testset,
  applications: itemsOf(applications),
  evaluators: Object.fromEntries(
    itemsOf(evaluators).map(item => {
      const [id = '', by] = item.split(':')
      return [id, by === 'human' ? 'human' : 'auto'] as const
    }),
  ),
  repeats,
})
