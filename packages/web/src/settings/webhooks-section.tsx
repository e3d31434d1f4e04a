import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, post } from '../api/client.ts'
import { useRefusal } from '../api/rights.ts'
import { type Delivery, type Subscription, subscriptionsQuery, useChange } from '../api/settings.ts'
import { visible } from '../format/format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, Failure } from '../parts/controls.tsx'
import { Deliveries } from './deliveries.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'
import { WebhookForm } from './webhook-form.tsx'

/** The addresses that get the events of the project, and their deliveries. */
export function WebhooksSection(): ReactNode {
  const { data, error } = useQuery(subscriptionsQuery)
  const refusal = useRefusal('edit_webhooks')
  return (
    <>
      <p>An address gets a signed request for each event. It is repeated up to five times if the receiver fails.</p>
      <Refusal>{refusal}</Refusal>
      {error && <Failure what="The webhooks cannot be listed." error={error} />}
      {data?.length === 0 && <p className={styles.soft}>This project has no webhook yet.</p>}
      {data?.map(subscription => (
        <Webhook key={subscription.id} subscription={subscription} refusal={refusal} />
      ))}
      <WebhookForm refusal={refusal} />
    </>
  )
}

function Webhook({ subscription, refusal }: { subscription: Subscription; refusal: string | undefined }): ReactNode {
  const { id, name, flags, data } = subscription
  const [isOpen, setIsOpen] = useState(false)
  const isActive = flags?.is_active !== false
  const path = `/webhooks/subscriptions/${id}`
  const toggle = useChange(() => api(`${path}/${isActive ? 'stop' : 'start'}`, { method: 'POST' }), 'subscriptions')
  const remove = useChange(() => api(path, { method: 'DELETE' }), 'subscriptions')
  const test = useChange(
    () => post<{ delivery: Delivery }>('/webhooks/subscriptions/test', { subscription_id: id }),
    'deliveries',
  )
  const failure = toggle.error ?? remove.error ?? test.error
  const title = visible(name ?? data.url)
  return (
    <article className={styles.webhook} aria-label={title}>
      <header>
        <b className={styles.name}>{title}</b>
        <code>{visible(data.url)}</code>
        <span className={styles.soft}>
          {isActive ? 'active' : 'stopped'};{' '}
          {data.event_types === undefined ? 'all events' : data.event_types.join(', ') || 'no events'}
        </span>
      </header>
      <div className={styles.fields}>
        <Button
          disabled={refusal !== undefined || toggle.isPending}
          title={refusal}
          onClick={() => toggle.mutate(undefined)}
        >
          {isActive ? 'Stop' : 'Start'}
        </Button>
        <Button
          disabled={refusal !== undefined || test.isPending}
          title={refusal}
          onClick={() => {
            setIsOpen(true)
            test.mutate(undefined)
          }}
        >
          Send a test
        </Button>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Deliveries
        </Button>
        <ConfirmButton
          question="Delete it with its deliveries?"
          disabled={refusal !== undefined}
          title={refusal}
          aria-label={`Delete ${title}`}
          onClick={() => remove.mutate(undefined)}
        >
          Delete
        </ConfirmButton>
        <span role="status">{test.data && `Test: ${test.data.delivery.status.message ?? ''}`}</span>
      </div>
      {failure && <Failure what="That failed." error={failure} />}
      {isOpen && <Deliveries subscription_id={id} refusal={refusal} />}
    </article>
  )
}
