import type { Uuid } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { Seed } from '../accounts/seed.ts'
import type { Reference, ReferenceTarget } from '../organizations/reference.ts'
import type { GraphBody } from './graph-body.ts'

/** What is done with a graph beyond storing it. */
export interface GraphSettings {
  seeds: readonly Seed[]
  /** Everything is done and then undone. */
  isDryRun: boolean
  createIdentities: boolean
  createApiKeys: boolean
  /** Tell the keys' texts. */
  returnApiKeys: boolean
  /** Make the members of the workspaces members of their new projects. */
  joinMembers: boolean
  /** Take the default project of a workspace, where there is one, for the one that is wanted there. */
  reuseProjects: boolean
}

/** What is being made: the names given so far, and where they lead. */
export interface GraphWork {
  trx: Trx
  body: GraphBody
  settings: GraphSettings
  resolve(target: ReferenceTarget, reference: Reference): Uuid
}
