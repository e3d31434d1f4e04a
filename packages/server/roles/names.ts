/** What one process can do. `all` in the settings means every one of them. */
export const ROLE_NAMES = ['receiver', 'writer', 'api', 'services', 'worker'] as const
export type RoleName = (typeof ROLE_NAMES)[number]
