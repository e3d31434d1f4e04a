import type { Vault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import type { OutboundRules } from '@spanhouse/outbound'
import type { Database, Trx } from '@spanhouse/postgres'

/** The context of an operation on webhooks: every statement takes its project from here. */
export interface WebhookScope {
  db: Database | Trx
  vault: Vault
  /** Which addresses may be called. */
  outbound: OutboundRules
  project_id: Uuid
  user_id: Uuid
  /** Whether subscriptions are shown with their secrets. */
  maySeeSecrets: boolean
}
