import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Run, runsByIdQuery } from '../../api/evaluations.ts'
import type { Preference } from '../../api/preferences.ts'
import { useRefusal } from '../../api/rights.ts'
import { formatCount, visible } from '../../format/format.ts'
import frame from '../../frame/frame.module.css'
import { useKeys } from '../../frame/keys.ts'
import { Button, controls, Failure, Kbd, ONCE, Waiting } from '../../parts/controls.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import { runName } from '../compare/score-table.tsx'
import type { CaseModel } from '../table/case-model.ts'
import { CellPart } from '../table/cell-part.tsx'
import { DiffText } from '../table/diff-text.tsx'
import { Skipped } from '../table/skipped.tsx'
import table from '../table/table.module.css'
import styles from './judge.module.css'
import { signTest } from './sign-test.ts'
import { type Item, type Judgements, usePairs } from './use-pairs.ts'

/** The outputs of two runs side by side, without their names, for people who say which one is better. */
export function JudgeScreen(): ReactNode {
  const { baseline: baselineId = '', run: runId = '' } = useSearch({ from: '/evaluations/judge' })
  const { data, error } = useQuery(runsByIdQuery([baselineId, runId].filter(Boolean)))
  const baseline = data?.find(({ id }) => id === baselineId)
  const run = data?.find(({ id }) => id === runId)
  if (baseline && run) return <Judge key={`${baselineId} ${runId}`} baseline={baseline} run={run} />
  return (
    <div className={frame.page}>
      <h1>Judge side by side</h1>
      {error && <Failure what="The runs cannot be read." error={error} />}
      {(data || !baselineId || !runId) && (
        <p>
          These two runs do not exist. Choose two in the <Link to="/evaluations/compare">comparison</Link>.
        </p>
      )}
    </div>
  )
}

function Judge({ baseline, run }: { baseline: Run; run: Run }): ReactNode {
  const judgements = usePairs(baseline, run)
  const [showsResult, setShowsResult] = useState(false)
  const { item, undo, skip, skipped, again, error, isRead, judged, equal, saving } = judgements
  const isOver = isRead && item === undefined
  const toggleResult = (): void => setShowsResult(!showsResult)
  useKeys({ u: undo, s: item && skip, r: isOver ? undefined : toggleResult })
  return (
    <div className={styles.screen}>
      <header className={styles.header}>
        <h1>Which is better?</h1>
        <output className={table.soft}>
          {formatCount(judged)} judged{equal > 0 && ` · ${formatCount(equal)} with equal outputs left out`}
          {saving > 0 && ' · saving …'}
        </output>
        <span className={styles.space} />
        {!isOver && (
          <Button aria-pressed={showsResult} onClick={toggleResult}>
            Result <Kbd>r</Kbd>
          </Button>
        )}
        <Button disabled={!undo} onClick={undo}>
          Undo <Kbd>u</Kbd>
        </Button>
        <Link to="/evaluations/compare" search={{ baseline: baseline.id, runs: run.id }}>
          Comparison
        </Link>
      </header>
      {error && <Failure what="Something was not saved or read." error={error} />}
      {(showsResult || isOver) && <Result baseline={baseline} run={run} judgements={judgements} />}
      {!item && !isOver && !error && <Waiting />}
      {item && <ItemView key={item.id} item={item} judgements={judgements} />}
      {isOver && (
        <div className={styles.over}>
          {skipped > 0 ? (
            <Skipped count={skipped} again={again} />
          ) : (
            <p>{judged > 0 ? 'No case is left.' : 'The runs have no case with two different outputs.'}</p>
          )}
        </div>
      )}
    </div>
  )
}

interface ItemViewProps {
  item: Item
  judgements: Judgements
}

function ItemView({ item, judgements: { judge, skip } }: ItemViewProps): ReactNode {
  const refusal = useRefusal('edit_spans')
  const [hasDiff, setHasDiff] = useState(false)
  const { baseline, candidate } = item.sides
  const [left, right] = isSwapped(item.id) ? (['run', 'baseline'] as const) : (['baseline', 'run'] as const)
  const choose = (preference: Preference) => () => refusal === undefined && judge(preference)
  useKeys({
    1: choose(left),
    2: choose(right),
    3: choose('neither'),
    d: () => setHasDiff(!hasDiff),
  })
  const input = candidate?.input ?? baseline?.input
  return (
    <>
      <Scroller label="Case" className={styles.case}>
        {input !== undefined && <Text title="Input" text={input} />}
        {candidate?.expected !== undefined && <Text title="Expected" text={candidate.expected} />}
        <div className={styles.pair}>
          <Output title="First" model={left === 'run' ? candidate : baseline} />
          <Output
            title="Second"
            model={right === 'run' ? candidate : baseline}
            before={hasDiff ? ((left === 'run' ? candidate : baseline)?.output ?? '') : undefined}
          />
        </div>
      </Scroller>
      <footer className={styles.choices} role="group" aria-label="Your judgement">
        <Button {...ONCE} disabled={refusal !== undefined} title={refusal} onClick={choose(left)}>
          First is better <Kbd>1</Kbd>
        </Button>
        <Button {...ONCE} disabled={refusal !== undefined} title={refusal} onClick={choose('neither')}>
          Equally good <Kbd>3</Kbd>
        </Button>
        <Button {...ONCE} disabled={refusal !== undefined} title={refusal} onClick={choose(right)}>
          Second is better <Kbd>2</Kbd>
        </Button>
        <span className={styles.space} />
        <Button aria-pressed={hasDiff} onClick={() => setHasDiff(!hasDiff)}>
          Diff <Kbd>d</Kbd>
        </Button>
        <Button {...ONCE} onClick={skip}>
          Skip <Kbd>s</Kbd>
        </Button>
        {refusal !== undefined && <p>{refusal}</p>}
      </footer>
    </>
  )
}

interface OutputProps {
  title: string
  model: CaseModel | undefined
  /** What it is compared with. */
  before?: string | undefined
}

const Output = ({ title, model, before }: OutputProps): ReactNode => (
  <section aria-label={`${title} output`}>
    {model?.error !== undefined && <p className={`${controls.notice} ${controls.error}`}>{visible(model.error)}</p>}
    {before === undefined && model?.subject ? (
      <CellPart cell={model.subject} part="outputs" title={title} />
    ) : (
      <>
        <h2>{title}</h2>
        <p className={table.text} dir="auto">
          <DiffText before={before} after={model?.output ?? ''} />
        </p>
      </>
    )}
  </section>
)

/** Which run is first changes from case to case, so that nobody can learn it; the same for everybody and each time. */
const isSwapped = (id: string): boolean =>
  [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 2 === 1

const Text = ({ title, text }: { title: string; text: string }): ReactNode => (
  <>
    <h2>{title}</h2>
    <p className={table.text} dir="auto">
      {visible(text)}
    </p>
  </>
)

interface ResultProps {
  baseline: Run
  run: Run
  judgements: Judgements
}

/** Below this, a preference is not by chance. */
const P_MAX = 0.05

function Result({ baseline, run, judgements: { judged, counts } }: ResultProps): ReactNode {
  const p = signTest(counts.run, counts.baseline)
  const isSure = p < P_MAX
  const cases = counts.baseline + counts.run + counts.neither
  const better = counts.run > counts.baseline ? run : baseline
  return (
    <section className={styles.result} aria-label="Result">
      <dl>
        <div>
          <dt>{runName(baseline)} (baseline)</dt>
          <dd>{formatCount(counts.baseline)}</dd>
        </div>
        <div>
          <dt>{runName(run)}</dt>
          <dd>{formatCount(counts.run)}</dd>
        </div>
        <div>
          <dt>Equally good</dt>
          <dd>{formatCount(counts.neither)}</dd>
        </div>
      </dl>
      <p className={isSure ? '' : table.soft}>
        {isSure ? `${runName(better)} is preferred` : 'May be chance'}, p = {Number(p.toPrecision(2))} (sign test
        {judged > cases && '; the repeats of a case count once'})
      </p>
    </section>
  )
}
