import type { Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { Kind, Scope as RegistryScope } from '@spanhouse/registry'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { Dispatcher, Metrics } from './doors.ts'

/** Where and for whom something is done: every statement takes its project from here. */
export interface Scope {
  db: Database | Trx
  project_id: Uuid
  /** Who it is done for; null where nobody is known. */
  user_id: Uuid | null
  runtime: RuntimeSettings
  dispatcher?: Dispatcher
  metrics?: Metrics
}

/** The same place, as the registry sees it for one kind of record. */
export const registryScope = ({ db, project_id, user_id, runtime }: Scope, kind: Kind): RegistryScope => ({
  db,
  project_id,
  user_id,
  runtime,
  kind,
  mayDeploy: false,
})
