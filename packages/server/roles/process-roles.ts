/** What one process can do. `all` in the settings means every one of them. */
export const PROCESS_ROLES = ['receiver', 'writer', 'api', 'services', 'worker'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]
