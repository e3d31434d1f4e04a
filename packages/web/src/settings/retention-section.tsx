import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useRefusal } from '../api/rights.ts'
import { retentionQuery, useChange } from '../api/settings.ts'
import { formatNumberOf } from '../format/format.ts'
import { Button, Failure, TextField, Waiting } from '../parts/controls.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'

/** For how long spans are kept. */
export function RetentionSection(): ReactNode {
  const { data, error } = useQuery(retentionQuery)
  if (error) return <Failure what="The retention cannot be shown." error={error} />
  return data === undefined ? <Waiting /> : <RetentionForm days={data.days} />
}

function RetentionForm({ days }: { days: number | null }): ReactNode {
  /** Undefined: nothing was changed yet. */
  const [edited, setText] = useState<string>()
  const text = edited ?? (days === null ? '' : String(days))
  const refusal = useRefusal('edit_workspace')
  const chosen = daysIn(text)
  const save = useChange(
    (text: string) => api('/projects/current/retention', { method: 'PUT', body: { days: daysIn(text) } }),
    'retention',
  )
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (!save.isPending) save.mutate(text)
      }}
    >
      <p>
        {days === null
          ? 'Spans are kept forever.'
          : `Spans are deleted ${days === 1 ? 'a day' : `${days} days`} after they were stored.`}
      </p>
      <Refusal>{refusal}</Refusal>
      <TextField
        className={styles.field}
        label="Days; empty to keep them forever"
        type="number"
        min={1}
        step={1}
        disabled={refusal !== undefined}
        value={text}
        onChange={setText}
      />
      {chosen !== null && (days === null || chosen < days) && (
        <p role="alert">
          Spans that are older than {formatNumberOf(chosen, 'day')} will be deleted. This cannot be undone.
        </p>
      )}
      <div className={styles.fields}>
        <Button type="submit" look="primary" disabled={refusal !== undefined} title={refusal}>
          Save
        </Button>
        <span role="status">{save.isSuccess && save.variables === text && 'Saved.'}</span>
      </div>
      {save.error && <Failure what="It was not saved." error={save.error} />}
    </form>
  )
}

const daysIn = (text: string): number | null => (text === '' ? null : Number(text))
