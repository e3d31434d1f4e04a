/**
 * The permissions that each role adds to the previous one (the table in section 5.6 of the interface), weakest first.
 */
const ADDED_BY_ROLE = {
  viewer: [
    'view_applications',
    'view_secret',
    'view_webhooks',
    'run_service',
    'view_billing',
    'view_workflows',
    'view_sessions',
    'view_evaluators',
    'view_queries',
    'view_testsets',
    'view_annotations',
    'view_invocations',
    'view_spans',
    'view_folders',
    'view_environments',
    'view_evaluation_runs',
    'view_evaluation_scenarios',
    'view_evaluation_results',
    'view_evaluation_metrics',
    'view_evaluation_queues',
    'view_tools',
    'view_triggers',
    'view_mounts',
  ],
  annotator: [
    'edit_annotations',
    'edit_evaluation_runs',
    'edit_evaluation_scenarios',
    'edit_evaluation_results',
    'edit_evaluation_metrics',
    'edit_evaluation_queues',
    'edit_spans',
    'run_tools',
    'run_triggers',
  ],
  editor: [
    'edit_application',
    'edit_webhooks',
    'edit_secret',
    'edit_folders',
    'edit_workflows',
    'run_workflows',
    'edit_sessions',
    'run_sessions',
    'edit_mounts',
    'use_mounts',
    'edit_evaluators',
    'edit_queries',
    'edit_testsets',
    'edit_invocations',
    'edit_tools',
    'edit_triggers',
  ],
  developer: ['view_api_keys', 'edit_api_keys', 'deploy_environments', 'edit_environments', 'view_events'],
  admin: [
    'edit_workspace',
    'create_workspace',
    'modify_user_roles',
    'add_new_user_to_workspace',
    'reset_password',
    'view_workspace',
  ],
  owner: [
    'delete_workspace',
    'edit_organization',
    'delete_organization',
    'add_new_user_to_organization',
    'edit_billing',
  ],
} as const

export type RoleName = keyof typeof ADDED_BY_ROLE
export type Permission = (typeof ADDED_BY_ROLE)[RoleName][number]

const DESCRIPTIONS: Record<RoleName, string> = {
  viewer: 'Can read everything in the project and call services.',
  annotator: 'Can also annotate traces and take part in evaluations.',
  editor: 'Can also create and change applications, evaluators, testsets and related resources.',
  developer: 'Can also manage API keys and deploy to environments.',
  admin: 'Can also manage workspaces, their members and roles.',
  owner: 'Can do everything.',
}

const ROLE_NAMES = Object.keys(ADDED_BY_ROLE) as RoleName[]

const PERMISSIONS_BY_ROLE: ReadonlyMap<string, ReadonlySet<Permission>> = new Map(
  ROLE_NAMES.map((role, index) => {
    const upToHere = ROLE_NAMES.slice(0, index + 1)
    return [role, new Set(upToHere.flatMap((name): readonly Permission[] => ADDED_BY_ROLE[name]))]
  }),
)

const NONE: ReadonlySet<Permission> = new Set()

/** All permissions, sorted. */
export const PERMISSIONS: readonly Permission[] = [...permissionsOf('owner')].sort()

/** The permissions of a role in a workspace or project. An unknown role has none. */
export function permissionsOf(role: string | null): ReadonlySet<Permission> {
  return (role === null ? undefined : PERMISSIONS_BY_ROLE.get(role)) ?? NONE
}

/** Whether a member can be given this role. */
export const isRoleName = (text: string): text is RoleName => PERMISSIONS_BY_ROLE.has(text)

/** Whether a role is higher than another. An unknown role and no role are below all others. */
export const isAbove = (role: string | null, other: string | null): boolean => rankOf(role) > rankOf(other)

const rankOf = (role: string | null): number => ROLE_NAMES.indexOf(role as RoleName)

export interface RoleJson {
  role: RoleName
  description: string
  permissions: string[]
}

/** A role as shown with a member. An unknown role has no permissions. */
export function describeRole(role: string): { role_name: string; role_description: string; permissions: string[] } {
  const role_description = isRoleName(role) ? DESCRIPTIONS[role] : ''
  return { role_name: role, role_description, permissions: [...permissionsOf(role)] }
}

/** The order in which roles are listed; organizations have only the first three. */
const LISTED: readonly RoleName[] = ['owner', 'admin', 'viewer', 'developer', 'editor', 'annotator']

/** The response of `GET /access/roles`. In an organization only the owner has permissions by role. */
export function listRoles(): Record<'organization' | 'workspace' | 'project', RoleJson[]> {
  const record = (role: RoleName, permissions: Iterable<string>): RoleJson => ({
    role,
    description: DESCRIPTIONS[role],
    permissions: role === 'owner' ? ['*'] : [...permissions],
  })
  const scoped = () => LISTED.map(role => record(role, permissionsOf(role)))
  return {
    organization: LISTED.slice(0, 3).map(role => record(role, [])),
    workspace: scoped(),
    project: scoped(),
  }
}
