import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import type { Revision } from '../../api/registry/registry.ts'
import { type Artifact, type ArtifactKind, artifactsQuery, revisionChoicesQuery } from '../../api/registry/revisions.ts'
import { visible } from '../../format/format.ts'
import { controls, Failure, Waiting } from '../../parts/controls.tsx'
import { FindField } from '../../parts/find-field.tsx'
import { FindSelect } from '../../parts/find-select.tsx'
import { hasWords } from '../../parts/has-words.ts'
import styles from './start.module.css'

/** An artifact with the revisions that can be chosen of it, newest first. */
interface Choice {
  artifact: Artifact
  revisions: readonly Revision[]
}

/** Artifacts of a kind that have a revision with content. */
function useChoices(kind: ArtifactKind): { choices: Choice[]; error: Error | null; isRead: boolean } {
  const artifacts = useQuery(artifactsQuery(kind))
  const revisions = useQuery(revisionChoicesQuery(kind))
  const byArtifact = Map.groupBy(revisions.data ?? [], ({ artifact_id }) => artifact_id)
  return {
    choices: (artifacts.data ?? []).flatMap(artifact => {
      const own = byArtifact.get(artifact.id)
      return own ? { artifact, revisions: own } : []
    }),
    error: artifacts.error ?? revisions.error,
    isRead: artifacts.isSuccess && revisions.isSuccess,
  }
}

const nameOf = ({ name, slug }: Artifact): string => visible(name || slug)

/** With its variant, if the artifact has several. */
const labelOf = ({ version, message, variant_slug }: Revision, { revisions }: Choice): string => {
  const isOnly = revisions.every(one => one.variant_slug === variant_slug)
  return [`v${version}`, isOnly ? undefined : variant_slug, message].filter(Boolean).join(' · ')
}

interface RevisionSelectProps {
  choice: Choice
  chosen: string | undefined
  onChange: (id: string) => void
}

const RevisionSelect = ({ choice, chosen, onChange }: RevisionSelectProps): ReactNode => (
  <FindSelect
    className={styles.revision}
    label={`Revision of ${nameOf(choice.artifact)}`}
    value={chosen}
    options={choice.revisions.map(one => ({ value: one.id, label: visible(labelOf(one, choice)) }))}
    onChange={onChange}
  />
)

interface TestsetProps {
  chosen: string | undefined
  onChange: (id: string | undefined) => void
}

export function Testset({ chosen, onChange }: TestsetProps): ReactNode {
  return (
    <ChoiceGroup kind="testset" title="Testset" chosen={chosen === undefined ? [] : [chosen]}>
      {choice => {
        const own = choice.revisions.find(({ id }) => id === chosen)
        return (
          <div className={styles.choice}>
            <label>
              <input
                type="radio"
                name="testset"
                checked={own !== undefined}
                onChange={() => onChange(choice.revisions[0]?.id)}
              />
              <span className={styles.name}>{nameOf(choice.artifact)}</span>
            </label>
            {own && <RevisionSelect choice={choice} chosen={own.id} onChange={onChange} />}
          </div>
        )
      }}
    </ChoiceGroup>
  )
}

interface ManyProps {
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Several applications are evaluated with the same testcases, a run each, and then compared. */
export function Applications({ chosen, onChange }: ManyProps): ReactNode {
  return (
    <ChoiceGroup
      kind="application"
      title="Applications"
      about="The first is the baseline that others are compared with; several revisions of one application can be chosen."
      chosen={chosen}
    >
      {choice => <ApplicationChoice choice={choice} chosen={chosen} onChange={onChange} />}
    </ChoiceGroup>
  )
}

function ApplicationChoice({ choice, chosen, onChange }: ManyProps & { choice: Choice }): ReactNode {
  const own = chosen.filter(id => choice.revisions.some(revision => revision.id === id))
  const free = choice.revisions.find(({ id }) => !chosen.includes(id))
  return (
    <div className={styles.choice}>
      <label>
        <input
          type="checkbox"
          checked={own.length > 0}
          onChange={() =>
            onChange(
              own.length > 0 ? chosen.filter(id => !own.includes(id)) : [...chosen, choice.revisions[0]?.id ?? ''],
            )
          }
        />
        <span className={styles.name}>{nameOf(choice.artifact)}</span>
      </label>
      {own.map(id => (
        <RevisionSelect
          key={id}
          choice={choice}
          chosen={id}
          onChange={next => onChange([...new Set(chosen.map(one => (one === id ? next : one)))])}
        />
      ))}
      {own.length > 0 && free && (
        <button type="button" className={styles.link} onClick={() => onChange([...chosen, free.id])}>
          and another revision
        </button>
      )}
    </div>
  )
}

/** Items are `revision:auto` or `revision:human`. */
export function Evaluators({ chosen, onChange }: ManyProps): ReactNode {
  return (
    <ChoiceGroup kind="evaluator" title="Evaluators" chosen={chosen.map(item => item.split(':')[0] ?? '')}>
      {choice => <EvaluatorChoice choice={choice} chosen={chosen} onChange={onChange} />}
    </ChoiceGroup>
  )
}

function EvaluatorChoice({ choice, chosen, onChange }: ManyProps & { choice: Choice }): ReactNode {
  const item = chosen.find(one => choice.revisions.some(({ id }) => one.startsWith(`${id}:`)))
  const [id, by] = item?.split(':') ?? []
  const replace = (next: string): void => onChange(chosen.map(one => (one === item ? next : one)))
  const add = (): void => {
    const [newest] = choice.revisions
    onChange([...chosen, `${newest?.id}:${newest && isForPeople(newest) ? 'human' : 'auto'}`])
  }
  return (
    <div className={styles.choice}>
      <label>
        <input
          type="checkbox"
          checked={item !== undefined}
          onChange={() => (item === undefined ? add() : onChange(chosen.filter(one => one !== item)))}
        />
        <span className={styles.name}>{nameOf(choice.artifact)}</span>
      </label>
      {item !== undefined && (
        <>
          <RevisionSelect choice={choice} chosen={id} onChange={next => replace(`${next}:${by}`)} />
          <select
            className={controls.select}
            aria-label={`Who carries out ${nameOf(choice.artifact)}`}
            value={by}
            onChange={({ target }) => replace(`${id}:${target.value}`)}
          >
            <option value="auto">by the server</option>
            <option value="human">by people</option>
          </select>
        </>
      )}
    </div>
  )
}

/** Feedback has a form, and nothing that could be run. */
const isForPeople = ({ flags, data }: Revision): boolean =>
  flags?.is_feedback === true || (data?.uri === undefined && data?.url === undefined)

/** Where artifacts of each kind are made. */
const MADE = {
  testset: { to: '/testsets' },
  application: { to: '/playground' },
  evaluator: { to: '/playground', search: { kind: 'evaluators' } },
} as const

interface ChoiceGroupProps {
  kind: ArtifactKind
  title: string
  about?: string
  /** The ids of revisions: what is chosen is always shown. */
  chosen: readonly string[]
  children: (choice: Choice) => ReactNode
}

/** What can be chosen of a kind. */
function ChoiceGroup({ kind, title, about, chosen, children }: ChoiceGroupProps): ReactNode {
  const { choices, error, isRead } = useChoices(kind)
  const [words, setWords] = useState('')
  const found = choices.filter(({ artifact: { name = '', slug } }) => hasWords(`${name} ${slug}`, words))
  const isChosen = ({ revisions }: Choice): boolean => revisions.some(({ id }) => chosen.includes(id))
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {about !== undefined && <p className={styles.about}>{about}</p>}
      {error && <Failure what="They cannot be read." error={error} />}
      {!isRead && !error && <Waiting />}
      {isRead && choices.length === 0 && (
        <p className={styles.about}>
          This project has no {kind} yet. <Link {...MADE[kind]}>Make one</Link>
        </p>
      )}
      <FindField
        label={`Find in ${title.toLowerCase()}`}
        text={words}
        onChange={setWords}
        all={choices.length}
        found={found.length}
      />
      {choices
        .filter(choice => found.includes(choice) || isChosen(choice))
        .map(choice => (
          <Fragment key={choice.artifact.id}>{children(choice)}</Fragment>
        ))}
    </fieldset>
  )
}
