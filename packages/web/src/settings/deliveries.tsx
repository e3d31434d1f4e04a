import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { type Delivery, deliveriesQuery, useChange } from '../api/settings.ts'
import { formatFullTime, formatTime, MISSING, visible } from '../format/format.ts'
import { Button, Failure } from '../parts/controls.tsx'
import styles from './settings.module.css'

/** How the newest deliveries of a webhook ended. */
export function Deliveries(props: { subscription_id: string; refusal: string | undefined }): ReactNode {
  const { data, error } = useQuery(deliveriesQuery(props.subscription_id))
  if (error) return <Failure what="The deliveries cannot be listed." error={error} />
  if (data?.length === 0) return <p className={styles.soft}>Nothing has been delivered yet.</p>
  return (
    <ul className={styles.list} aria-label="Deliveries">
      {data?.map(delivery => (
        <Item key={delivery.id} delivery={delivery} refusal={props.refusal} />
      ))}
    </ul>
  )
}

function Item({ delivery, refusal }: { delivery: Delivery; refusal: string | undefined }): ReactNode {
  const { id, created_at, updated_at = created_at, status, data = {} } = delivery
  const again = useChange(() => api(`/webhooks/deliveries/${id}/redeliver`, { method: 'POST' }), 'deliveries')
  const hasFailed = status.message !== 'success'
  const reason = data.error ?? data.response?.body
  return (
    <li>
      <span>
        {visible(data.event_type ?? MISSING)}{' '}
        <time className={styles.soft} title={formatFullTime(updated_at)}>
          {formatTime(updated_at)}
        </time>
      </span>
      <span className={hasFailed ? styles.failed : styles.soft}>
        {status.message} ({status.code === '0' ? 'no answer' : status.code})
        {hasFailed && reason ? `: ${visible(reason.slice(0, 200))}` : ''}
      </span>
      <Button
        disabled={refusal !== undefined || again.isPending}
        title={refusal}
        onClick={() => again.mutate(undefined)}
      >
        Send again
      </Button>
      {again.error && <Failure what="It was not sent." error={again.error} />}
    </li>
  )
}
