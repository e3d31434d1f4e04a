import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Queue, type Run, runQuery } from '../../api/evaluations.ts'
import { profileQuery, queueQuery } from '../../api/queues.ts'
import { revisionQuery } from '../../api/registry/revisions.ts'
import { useRefusal } from '../../api/rights.ts'
import { formatCount, visible } from '../../format/format.ts'
import frame from '../../frame/frame.module.css'
import { useKeys } from '../../frame/keys.ts'
import { useNameInTitle } from '../../frame/title.ts'
import { Button, Failure, Kbd, ONCE, Spoken, Waiting } from '../../parts/controls.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import { modelOf, revisionOf, titleOf } from '../table/case-model.ts'
import { useExpectedKeys } from '../table/expected-keys.ts'
import { Skipped } from '../table/skipped.tsx'
import { chosenAfter, FieldView } from './annotation-form.tsx'
import { type Draft, readDraft, writeDraft } from './drafts.ts'
import { type Field, fieldsOf, outputOf } from './fields.ts'
import styles from './queue.module.css'
import { Subject } from './subject.tsx'
import { useQueue, type Worklist } from './use-queue.ts'
import { humanSteps, type Item } from './worklist.ts'

/** The cases of a queue, one after the other: what is judged, and the form of its evaluators. */
export function QueueScreen(): ReactNode {
  const { queueId } = useParams({ from: '/queues/$queueId' })
  const queue = useQuery(queueQuery(queueId))
  const run = useQuery({ ...runQuery(queue.data?.run_id ?? ''), enabled: Boolean(queue.data) })
  const profile = useQuery(profileQuery)
  const forms = useForms(run.data ?? undefined)
  useNameInTitle(queue.data?.name)
  const error = queue.error ?? run.error ?? profile.error
  if (queue.data && run.data && profile.data && forms)
    return <Work key={queueId} queue={queue.data} run={run.data} user_id={profile.data.id} forms={forms} />
  return (
    <div className={frame.page}>
      <h1>Queue</h1>
      {error && <Failure what="The queue cannot be shown." error={error} />}
      {queue.data !== null && !error && <Waiting />}
      {queue.data === null && (
        <p>
          This project has no queue with this id. Go to the <Link to="/evaluations">list of evaluations</Link>.
        </p>
      )}
    </div>
  )
}

/** An evaluator that people carry out, with the fields of its output. */
interface EvaluatorForm {
  key: string
  title: string
  fields: readonly Field[]
}

/** Undefined until the evaluators are read. */
function useForms(run: Run | undefined): EvaluatorForm[] | undefined {
  const steps = run ? humanSteps(run) : []
  return useQueries({
    queries: steps.map(step => revisionQuery('evaluator', revisionOf(step)?.id ?? '')),
    combine: results =>
      results.every(({ isFetched }) => isFetched)
        ? steps.map((step, index) => ({
            key: step.key,
            title: titleOf(step),
            fields: fieldsOf(results[index]?.data?.data?.schemas?.outputs ?? step.schemas?.outputs),
          }))
        : undefined,
  })
}

interface WorkProps {
  queue: Queue
  run: Run
  user_id: string
  forms: readonly EvaluatorForm[]
}

function Work({ queue, run, user_id, forms }: WorkProps): ReactNode {
  const work = useQueue({ queue, run, user_id }, key => forms.find(form => form.key === key)?.fields ?? [])
  const { item } = work
  useKeys({ u: work.undo, s: item && work.skip })
  return (
    <div className={styles.screen}>
      <header className={styles.header}>
        <h1>{visible(queue.name ?? 'Queue')}</h1>
        <progress aria-label="Annotated cases" value={work.done} max={Math.max(1, work.total)} />
        <output className={styles.soft}>
          {formatCount(work.done)} of {formatCount(work.total)} {work.saving > 0 && '· saving …'}
        </output>
        <span className={styles.space} />
        <Link to="/evaluations/$runId" params={{ runId: run.id }}>
          Results
        </Link>
        <Button disabled={!work.undo} onClick={work.undo}>
          Undo <Kbd>u</Kbd>
        </Button>
      </header>
      {work.error && <Failure what="Something was not saved or read." error={work.error} />}
      {item && <ItemView key={item.id} item={item} run={run} forms={forms} work={work} />}
      {!item && work.isRead && (
        <div className={styles.nothing}>
          {work.skipped > 0 ? (
            <Skipped count={work.skipped} again={work.again} />
          ) : (
            <p>{work.total === 0 ? 'No case is assigned to you.' : 'No more cases are waiting for you.'}</p>
          )}
          <p>
            <Link to="/evaluations/$runId" params={{ runId: run.id }}>
              See the results
            </Link>
          </p>
        </div>
      )}
    </div>
  )
}

interface ItemViewProps {
  item: Item
  run: Run
  forms: readonly EvaluatorForm[]
  work: Worklist
}

/** A case and its form. What is entered is a draft until it is saved. */
function ItemView({ item, run, forms, work }: ItemViewProps): ReactNode {
  const [draft, setDraft] = useState(() => readDraft(item.id))
  const [problem, setProblem] = useState<string>()
  const [active, setActive] = useState(0)
  const refusal = useRefusal('edit_evaluation_results')
  const model = modelOf(run, item.row, useExpectedKeys(run))
  const all = forms.flatMap(form => form.fields.map(field => ({ form, field, id: `${form.key}.${field.name}` })))
  const change = (key: string, name: string, value: Draft[string][string] | undefined): void => {
    const { [name]: _before, ...others } = draft[key] ?? {}
    const next = { ...draft, [key]: value === undefined ? others : { ...others, [name]: value } }
    setDraft(next)
    writeDraft(item.id, next)
    setProblem(undefined)
  }
  const save = (): void => {
    if (refusal !== undefined) return
    try {
      const outputs = forms.map(({ key, fields }) => [key, outputOf(fields, draft[key] ?? {})] as const)
      work.save(Object.fromEntries(outputs))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const chooseDigit = (digit: number) => (): unknown => {
    const { form, field } = all[active] ?? {}
    if (!form || !field || (field.form.kind !== 'choice' && field.form.kind !== 'several')) return false
    const value = chosenAfter(field.form, draft[form.key]?.[field.name], (digit + 9) % 10)
    change(form.key, field.name, value)
    if (field.form.kind === 'choice') setActive(Math.min(active + 1, all.length - 1))
    return true
  }
  useKeys({
    '⌘Enter': save,
    ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [String(digit), chooseDigit(digit)])),
    j: () => focusField(all[Math.min(active + 1, all.length - 1)]?.id),
    k: () => focusField(all[Math.max(active - 1, 0)]?.id),
  })
  return (
    <div className={styles.work}>
      <Scroller className={styles.subject} label="Case">
        <h2>
          <Spoken>Case</Spoken>
        </h2>
        <Subject model={model} hasTestcase={item.row.testcase !== undefined} />
      </Scroller>
      <form
        className={styles.form}
        aria-label="Annotation"
        onSubmit={event => {
          event.preventDefault()
          save()
        }}
      >
        {forms.map(({ key, title, fields }) => (
          <section key={key}>
            <h2>{visible(title)}</h2>
            {fields.length === 0 && <p className={styles.soft}>This evaluator declares no outputs to fill in.</p>}
            {fields.map(field => {
              const id = `${key}.${field.name}`
              const index = all.findIndex(one => one.id === id)
              return (
                <FieldView
                  key={field.name}
                  id={id}
                  field={field}
                  value={draft[key]?.[field.name]}
                  isActive={index === active}
                  onActive={() => setActive(index)}
                  onChange={value => change(key, field.name, value)}
                />
              )
            })}
          </section>
        ))}
        {problem !== undefined && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        <footer className={styles.footer}>
          <Button type="submit" look="primary" disabled={refusal !== undefined} title={refusal}>
            Save and next{' '}
            <span aria-hidden="true">
              <Kbd>⌘↵</Kbd>
            </span>
          </Button>
          <Button {...ONCE} onClick={work.skip}>
            Skip <Kbd>s</Kbd>
          </Button>
          {refusal !== undefined && <p className={styles.soft}>{refusal}</p>}
        </footer>
      </form>
    </div>
  )
}

function focusField(id: string | undefined): void {
  const controls = document.querySelectorAll<HTMLElement>(`[data-field="${CSS.escape(id ?? '')}"] :is(input, textarea)`)
  const chosen = [...controls].find(control => control instanceof HTMLInputElement && control.checked)
  const [first] = controls
  ;(chosen ?? first)?.focus()
}
