import type { Uuid } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { AccountRows } from './account-rows.ts'

/** A new project, and the user for whom it was created. */
export interface NewProject {
  project_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  user_id: Uuid
}

/** Fills a new project in the transaction that creates it: a seed that fails rolls the project back. */
export type Seed = (trx: Trx, project: NewProject) => Promise<void>

export const newProjectOf = ({ user, organization, workspace, project }: AccountRows): NewProject => ({
  project_id: project.id,
  workspace_id: workspace.id,
  organization_id: organization.id,
  user_id: user.id,
})
