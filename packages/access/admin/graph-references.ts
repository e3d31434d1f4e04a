import type { WantedReference } from '../organizations/reference.ts'
import type { GraphBody } from './graph-body.ts'

/** Every reference in the graph with the table it refers to, so that all are looked up together. */
export function referencesOf(body: GraphBody): WantedReference[] {
  const wanted: WantedReference[] = []
  for (const { user_ref } of body.user_identities?.values() ?? []) if (user_ref) wanted.push(['users', user_ref])
  for (const { owner_user_ref } of body.organizations?.values() ?? [])
    if (owner_user_ref) wanted.push(['users', owner_user_ref])
  for (const { organization_ref } of body.workspaces?.values() ?? []) wanted.push(['organizations', organization_ref])
  for (const { organization_ref, workspace_ref } of body.projects?.values() ?? [])
    wanted.push(['organizations', organization_ref], ['workspaces', workspace_ref])
  for (const { organization_ref, user_ref } of body.organization_memberships?.values() ?? [])
    wanted.push(['organizations', organization_ref], ['users', user_ref])
  for (const { workspace_ref, user_ref } of body.workspace_memberships?.values() ?? [])
    wanted.push(['workspaces', workspace_ref], ['users', user_ref])
  for (const { project_ref, user_ref } of body.project_memberships?.values() ?? [])
    wanted.push(['projects', project_ref], ['users', user_ref])
  for (const { project_ref, user_ref } of body.api_keys?.values() ?? [])
    wanted.push(['projects', project_ref], ['users', user_ref])
  return wanted
}
