import { type RawBuilder, sql } from '@spanhouse/postgres'

/**
 * What a user is in a project, as a column of a statement; null: nothing. `user` is an expression of the user's id. The
 * statement joins `organizations`, `workspaces` and `projects` under these names, the last one perhaps without a match.
 *
 * This is the one rule of who is what where:
 *
 * - The organization's owner is `owner` everywhere in it, whatever their memberships say.
 * - A membership counts only inside its parents: without one of the organization and one of the workspace there is no
 *   role, even where a membership of the project is left.
 * - Otherwise the role is that of the membership of the project. What somebody is in a workspace is what they are in its
 *   default project; where it has none, it is the membership of the workspace that says it.
 */
export const effectiveRole = (user: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`case when organizations.owner_id = ${user} then 'owner' else (
    select case when projects.id is null then in_workspace.role else in_project.role end
    from organization_memberships as in_organization
    join workspace_memberships as in_workspace
      on in_workspace.workspace_id = workspaces.id and in_workspace.user_id = in_organization.user_id
    left join project_memberships as in_project
      on in_project.project_id = projects.id and in_project.user_id = in_organization.user_id
    where in_organization.organization_id = organizations.id and in_organization.user_id = ${user}
  ) end`
