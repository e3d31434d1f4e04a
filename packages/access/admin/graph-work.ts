import type { Uuid } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { Seed } from '../accounts/seed.ts'
import type { Reference, ReferenceTarget } from '../organizations/reference.ts'
import type { GraphBody } from './graph-body.ts'

/** What happens with a graph besides storing it. */
export interface GraphSettings {
  seeds: readonly Seed[]
  /** Everything is done and then rolled back. */
  isDryRun: boolean
  createIdentities: boolean
  createApiKeys: boolean
  /** Return the texts of the keys. */
  returnApiKeys: boolean
  /** Make the members of a workspace members of its new projects. */
  joinMembers: boolean
  /** Use the existing default project of a workspace instead of creating a new one. */
  reuseProjects: boolean
}

/** A graph that is being created. `resolve` also finds the names given so far. */
export interface GraphWork {
  trx: Trx
  body: GraphBody
  settings: GraphSettings
  resolve(target: ReferenceTarget, reference: Reference): Uuid
}
