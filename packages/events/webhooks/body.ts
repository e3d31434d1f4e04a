import { microsToIso } from '@spanhouse/model'
import { headerMistakeIn } from '@spanhouse/outbound'
import { list, optional, recordOf, storedObject, time, uuid, windowing, z } from '@spanhouse/validation'
import { EVENT_KINDS } from '../log/kinds.ts'

const URL_LENGTH_MAX = 2083
const HEADERS_MAX = 100
const HEADER_LENGTH_MAX = 8_192
const SECRET_LENGTH_MAX = 8_192

const text = optional(z.string())

const isWebUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const url = z
  .string()
  .min(1)
  .max(URL_LENGTH_MAX)
  .refine(isWebUrl, { params: { type: 'url_parsing' }, error: 'Input should be a valid http or https URL' })

const headers = recordOf(z.string().max(HEADER_LENGTH_MAX), { max: HEADERS_MAX }).superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    const mistake = headerMistakeIn(name, value)
    if (mistake === null) continue
    const message = `Value error, the header ${JSON.stringify(name)} ${mistake}`
    context.addIssue({ code: 'custom', path: [name], params: { type: 'value_error' }, message })
  }
})

const subscriptionData = z.object({
  url,
  headers: optional(headers),
  payload_fields: optional(storedObject),
  auth_mode: optional(z.enum(['signature', 'authorization'])),
  event_types: optional(list(z.enum(EVENT_KINDS), { max: 1_000 })),
})

/** What a subscription asks for, and how it is sent; stored and shown as it was sent. */
export type SubscriptionData = z.output<typeof subscriptionData>

const labels = { name: text, description: text, tags: optional(storedObject), meta: optional(storedObject) }
const flags = optional(z.object({ is_active: optional(z.boolean()) }))
const secret = optional(z.string().min(1).max(SECRET_LENGTH_MAX))

export const newSubscription = z.object({ ...labels, data: subscriptionData, secret })
export type NewSubscription = z.output<typeof newSubscription>

export const editedSubscription = z.object({ id: optional(uuid), ...labels, flags, data: subscriptionData, secret })
export type EditedSubscription = z.output<typeof editedSubscription>

/** A subscription to be tested, stored or not; the data of a stored one may be omitted. */
export const draftSubscription = z.object({ id: optional(uuid), ...labels, data: optional(subscriptionData), secret })
export type DraftSubscription = z.output<typeof draftSubscription>

export const subscriptionQuery = z.object({
  subscription: optional(z.object({ ...labels, flags })),
  windowing: optional(windowing),
})
export type SubscriptionQuery = z.output<typeof subscriptionQuery>

/** The HTTP status of the receiver, or 0 if there was none. */
const code = z
  .string()
  .regex(/^\d{1,3}$/)
  .meta({ examples: ['200'] })

const status = z.object({
  timestamp: optional(time.transform(microsToIso)),
  code: optional(code),
  message: optional(z.enum(['success', 'failed'])),
  type: text,
  stacktrace: text,
})

export const newDelivery = z.object({
  id: optional(uuid),
  status,
  data: optional(storedObject),
  subscription_id: uuid,
  event_id: uuid,
})
export type NewDelivery = z.output<typeof newDelivery>

export const deliveryQuery = z.object({
  delivery: optional(
    z.object({
      subscription_id: optional(uuid),
      event_id: optional(uuid),
      status: optional(z.object({ code: text })),
    }),
  ),
  windowing: optional(windowing),
})
export type DeliveryQuery = z.output<typeof deliveryQuery>
