import { type JsonObject, present, type Uuid } from '@spanhouse/model'
import type { Selectable, Tables } from '@spanhouse/postgres'
import type { SubscriptionData } from './body.ts'

type Stored<Table extends keyof Tables> = Selectable<Tables[Table]>

export type SubscriptionRow = Omit<Stored<'webhook_subscriptions'>, 'data'> & { data: SubscriptionData }
export type DeliveryRow = Stored<'webhook_deliveries'>

/** A subscription as callers see it; with its secret if that is given. */
export const toSubscriptionJson = (row: SubscriptionRow, secret?: string): JsonObject =>
  present({
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by_id: row.created_by_id,
    updated_by_id: row.updated_by_id,
    name: row.name,
    description: row.description,
    tags: row.tags,
    meta: row.meta,
    flags: { is_active: row.is_active },
    data: row.data as unknown as JsonObject,
    secret_id: row.secret_id,
    secret,
  })

export const toDeliveryJson = (row: DeliveryRow): JsonObject =>
  present({
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by_id: row.created_by_id,
    updated_by_id: row.updated_by_id,
    subscription_id: row.subscription_id,
    event_id: row.event_id,
    status: row.status,
    data: row.data,
  })

export type SubscriptionLabels = Pick<SubscriptionRow, 'name' | 'tags' | 'meta' | 'created_at' | 'updated_at'> & {
  id: Uuid | 'draft'
}
