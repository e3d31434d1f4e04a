import { type ReactNode, useState } from 'react'
import { type Configuration, EDIT, type Json, type Kind, type Revision } from '../api/registry/registry.ts'
import { useRefusal } from '../api/rights.ts'
import { formatTime, visible } from '../format/format.ts'
import { Button, Choices } from '../parts/controls.tsx'
import { FindSelect } from '../parts/find-select.tsx'
import type { Column } from './columns.ts'
import { ConfigurationForm } from './configuration-form.tsx'
import { DeployDialog } from './deploy-dialog.tsx'
import { JsonField } from './json-field.tsx'
import styles from './playground.module.css'
import { SaveDialog } from './save-dialog.tsx'

interface ColumnFormProps {
  kind: Kind
  column: Column
  revisions: readonly Revision[]
  onChange: (configuration: Configuration | undefined) => void
  /** Shows another revision in this column. */
  onChoose: (revision: Revision) => void
  /** Shows the revision that the draft has become. */
  onCommitted: (revision: Revision) => void
  onCopy: () => void
  /** Absent for the only column. */
  onRemove: (() => void) | undefined
  onRun: () => void
}

/** A variant: which revision it began with, its configuration, and what can be done with them. */
export function ColumnForm(props: ColumnFormProps): ReactNode {
  const { kind, column, revisions, onChange, onChoose, onCommitted, onCopy, onRemove, onRun } = props
  const { name, configuration, revision, isDraft } = column
  const [view, setView] = useState<'form' | 'json'>('form')
  const [open, setOpen] = useState<'save' | 'deploy'>()
  const refusal = useRefusal(EDIT[kind])
  return (
    <section className={styles.column} aria-label={`Variant ${name}`}>
      <header>
        <FindSelect
          label={`Revision of ${name}`}
          value={revision.id}
          options={revisions.map(one => ({ value: one.id, label: titleOf(one, revisions) }))}
          onChange={value => {
            const chosen = revisions.find(({ id }) => id === value)
            if (chosen) onChoose(chosen)
          }}
        />
        <span className={styles.state}>{isDraft ? 'Draft' : 'Committed'}</span>
        {onRemove && (
          <Button look="plain" onClick={onRemove} aria-label={`Remove ${name}`}>
            ✕
          </Button>
        )}
      </header>
      <div className={styles.buttons}>
        <Choices
          label={`View of ${name}`}
          value={view}
          choices={[
            ['form', 'Form'],
            ['json', 'JSON'],
          ]}
          onChange={setView}
        />
        <Button
          disabled={!isDraft || refusal !== undefined}
          title={refusal}
          aria-label={`Save ${name}`}
          onClick={() => setOpen('save')}
        >
          Save …
        </Button>
        <Button disabled={!isDraft} aria-label={`Discard the draft of ${name}`} onClick={() => onChange(undefined)}>
          Discard
        </Button>
        <Button
          disabled={isDraft}
          title={isDraft ? 'Only what is committed can be deployed: save the draft first.' : undefined}
          aria-label={`Deploy ${name}`}
          onClick={() => setOpen('deploy')}
        >
          Deploy …
        </Button>
        <Button aria-label={`Copy ${name} into a new column`} onClick={onCopy}>
          Copy
        </Button>
      </div>
      {refusal !== undefined && <p className={styles.soft}>{refusal} Drafts can be run, but not saved.</p>}
      {view === 'form' ? (
        <ConfigurationForm name={name} value={configuration} revision={revision} onChange={onChange} onRun={onRun} />
      ) : (
        <JsonField
          label={`Configuration of ${name}`}
          value={configuration as Json}
          onChange={value => onChange(value as Configuration)}
          onRun={onRun}
        />
      )}
      {open === 'save' && (
        <SaveDialog kind={kind} column={column} onClose={() => setOpen(undefined)} onSaved={onCommitted} />
      )}
      {open === 'deploy' && <DeployDialog kind={kind} revision={revision} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function titleOf(revision: Revision, revisions: readonly Revision[]): string {
  const { version, message, date, variant_slug } = revision
  const isOnly = revisions.every(other => other.variant_id === revision.variant_id)
  const said = message ? `: ${visible(message).slice(0, 40)}` : ''
  return `${isOnly ? '' : `${variant_slug} `}v${version}${said} (${formatTime(date)})`
}
