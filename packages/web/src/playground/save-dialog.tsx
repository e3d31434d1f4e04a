import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  commitConfiguration,
  configurationOf,
  forkVariant,
  type Kind,
  type Revision,
} from '../api/registry/registry.ts'
import { Diff } from '../editor/editor.tsx'
import { Choices, controls, Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import type { Column } from './columns.ts'
import styles from './playground.module.css'
import { readable } from './readable.ts'

interface SaveDialogProps {
  kind: Kind
  column: Column
  onClose: () => void
  onSaved: (revision: Revision) => void
}

/** Shows how a draft differs from the revision that it began with, and commits it. */
export function SaveDialog({ kind, column, onClose, onSaved }: SaveDialogProps): ReactNode {
  const { revision, configuration } = column
  const [message, setMessage] = useState('')
  const [where, setWhere] = useState<'same' | 'new'>('same')
  const [name, setName] = useState('')
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const base = where === 'new' ? await forkVariant(kind, revision, name) : revision
      return commitConfiguration(kind, { base, configuration, message })
    },
    onSuccess: async saved => {
      await queryClient.invalidateQueries({ queryKey: ['revisions', kind] })
      onClose()
      onSaved(saved)
    },
  })
  return (
    <FormModal
      title={`Save ${column.name}`}
      isWide
      onClose={onClose}
      onSubmit={() => save.mutate()}
      submit="Commit"
      isOff={save.isPending || (where === 'new' && name.trim() === '')}
    >
      <TextField
        className={styles.field}
        label="Message"
        value={message}
        placeholder="What changed, and why"
        onChange={setMessage}
      />
      <div className={styles.buttons}>
        <Choices
          label="Where"
          value={where}
          choices={[
            ['same', 'Next revision of this variant'],
            ['new', 'New variant'],
          ]}
          onChange={setWhere}
        />
        {where === 'new' && (
          <input
            className={controls.input}
            aria-label="Name of the variant"
            placeholder="Name of the variant"
            value={name}
            onChange={event => setName(event.target.value)}
          />
        )}
      </div>
      {save.error && <Failure what="It was not saved." error={save.error} />}
      <Diff
        label={`Changes since v${revision.version}`}
        before={readable(configurationOf(revision))}
        after={readable(configuration)}
      />
    </FormModal>
  )
}
