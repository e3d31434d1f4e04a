import { type ReactNode, useState } from 'react'
import { post } from '../api/client.ts'
import { type Subscription, useChange } from '../api/settings.ts'
import { Button, Failure, TextField } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import styles from './settings.module.css'

/** The events that change something; reads are events too, and belong to "all events". */
const EVENTS = [
  ['workflows.revisions.committed', 'Applications and evaluators are committed'],
  ['environments.revisions.committed', 'Something is deployed'],
  ['testsets.revisions.committed', 'Testsets are committed'],
  ['queries.revisions.committed', 'Saved queries are committed'],
] as const

const EMPTY = { name: '', url: '', events: EVENTS.map(([event]) => event as string), isAll: false }

/** Adds a webhook, and shows the secret that signs its requests. */
export function WebhookForm({ refusal }: { refusal: string | undefined }): ReactNode {
  const [fields, setFields] = useState(EMPTY)
  const { name, url, events, isAll } = fields
  const set = (changes: Partial<typeof EMPTY>): void => setFields({ ...fields, ...changes })
  const create = useChange(async () => {
    const data = { url, ...(!isAll && { event_types: events }) }
    const body = { subscription: { ...(name && { name }), data } }
    const made = await post<{ subscription: Subscription }>('/webhooks/subscriptions/', body)
    setFields(EMPTY)
    return made.subscription
  }, 'subscriptions')
  const isOff = refusal !== undefined
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        create.mutate(undefined)
      }}
    >
      <h2>Add a webhook</h2>
      <TextField className={styles.field} label="Name" disabled={isOff} value={name} onChange={name => set({ name })} />
      <TextField
        className={styles.field}
        label="Address"
        type="url"
        required
        disabled={isOff}
        placeholder="https://example.com/hooks"
        value={url}
        onChange={url => set({ url })}
      />
      <fieldset className={styles.events} disabled={isOff}>
        <legend>Events</legend>
        {EVENTS.map(([event, title]) => (
          <label key={event} className={styles.check}>
            <input
              type="checkbox"
              disabled={isAll}
              checked={isAll || events.includes(event)}
              onChange={() =>
                set({ events: events.includes(event) ? events.filter(one => one !== event) : [...events, event] })
              }
            />
            {title}
          </label>
        ))}
        <label className={styles.check}>
          <input type="checkbox" checked={isAll} onChange={() => set({ isAll: !isAll })} />
          All events, reads too
        </label>
      </fieldset>
      <div className={styles.fields}>
        <Button type="submit" look="primary" disabled={isOff || create.isPending} title={refusal}>
          Add
        </Button>
      </div>
      {create.data?.secret && (
        <div className={styles.made} role="status">
          <p>The receiver checks signatures with this secret:</p>
          <code>{create.data.secret}</code>
          <CopyButton text={create.data.secret} />
        </div>
      )}
      {create.error && <Failure what="The webhook was not added." error={create.error} />}
    </form>
  )
}
