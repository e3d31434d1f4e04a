import { type RawBuilder, sql } from '@spanhouse/postgres'

/**
 * A user's role in a project, as a column of a statement; null for no role. `user` is an expression for the user's id.
 * The statement must join `organizations`, `workspaces` and `projects` under these names; `projects` may be without a
 * match.
 *
 * This is the only rule for roles:
 *
 * - The organization's owner is `owner` everywhere in it, regardless of memberships.
 * - A membership counts only inside its parents: without memberships of the organization and the workspace there is no
 *   role, even if a project membership remains.
 * - Otherwise the role is that of the project membership. A user's role in a workspace is their role in its default
 *   project, or, if it has none, that of the workspace membership.
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
