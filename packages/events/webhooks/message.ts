import { createHmac, hash } from 'node:crypto'
import { type JsonObject, parseJson, present, type Uuid } from '@spanhouse/model'
import { chosenHeaders } from '@spanhouse/outbound'
import { type EventRow, toEventJson } from '../log/record.ts'
import type { SubscriptionData } from './body.ts'
import type { SubscriptionLabels } from './rows.ts'
import { renderBody } from './template.ts'

/** One event on its way to one subscription. */
export interface Message {
  /** The delivery's. */
  id: Uuid
  event: EventRow & { project_id: Uuid }
  subscription: SubscriptionLabels
  data: SubscriptionData
  secret: string | undefined
}

/** The request that delivers a message. */
export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

const SIGNATURE = 'X-Agenta-Signature'
const REDACTED = '[REDACTED]'

/** Headers that the server alone sets, in lower case. */
const RESERVED = new Set([
  'content-type',
  'user-agent',
  'idempotency-key',
  'authorization',
  'x-agenta-event-type',
  'x-agenta-delivery-id',
  'x-agenta-event-id',
  SIGNATURE.toLowerCase(),
])

/** The id of the delivery of an event to a subscription: the same whenever it is sent (RFC 9562, section 5.8). */
export function deliveryIdOf(subscription_id: Uuid, event_id: Uuid): Uuid {
  const bytes = hash('sha256', `${subscription_id} ${event_id}`, 'buffer').subarray(0, 16)
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Throws a BodyError for a body beyond the limits, an Error without a secret. */
export async function requestOf(message: Message, nowMs: number): Promise<WebhookRequest> {
  const { id, event, data, secret } = message
  if (secret === undefined) throw new MissingSecret('The secret of the subscription was deleted')
  const body = await renderBody(contextOf(message), data.payload_fields)
  const proof =
    data.auth_mode === 'authorization'
      ? { Authorization: secret }
      : { [SIGNATURE]: signatureOf(body, secret, Math.floor(nowMs / 1000)) }
  const headers = Object.fromEntries([
    ...chosenHeaders(data.headers ?? {}, RESERVED),
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Spanhouse'],
    ['X-Agenta-Event-Type', event.type],
    ['X-Agenta-Delivery-Id', id],
    ['X-Agenta-Event-Id', event.id],
    ['Idempotency-Key', id],
    ...Object.entries(proof),
  ])
  return { url: data.url, headers, body }
}

export class MissingSecret extends Error {}

/** HMAC-SHA256 over the time and the exact body, so that a receiver can refuse what is old. */
const signatureOf = (body: string, secret: string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

const contextOf = ({ event, subscription }: Message): JsonObject => ({
  event: toEventJson(event),
  subscription: present({
    id: subscription.id,
    name: subscription.name,
    tags: subscription.tags,
    meta: subscription.meta,
    created_at: subscription.created_at,
    updated_at: subscription.updated_at,
  }),
  scope: { project_id: event.project_id },
})

/** What a delivery tells of a request: without what proves who sent it. */
export function toldOf({ headers, body }: WebhookRequest): JsonObject {
  const told = Object.entries(headers).map(
    ([name, value]) => [name, name === 'Authorization' || name === SIGNATURE ? REDACTED : value] as const,
  )
  return { headers: Object.fromEntries(told), payload: parseJson(body) }
}

/** A receiver may repeat what it was sent. Of a text that was cut, a start of the secret at its end is removed too. */
export function withoutSecret(text: string, secret: string | undefined, { isWhole } = { isWhole: true }): string {
  if (secret === undefined) return text
  const rest = text.replaceAll(secret, REDACTED)
  if (isWhole) return rest
  for (let length = Math.min(secret.length, rest.length); length > 0; length--)
    if (rest.endsWith(secret.slice(0, length))) return rest.slice(0, -length) + REDACTED
  return rest
}
