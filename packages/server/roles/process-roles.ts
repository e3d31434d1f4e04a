/** The roles of a process. `all` in the settings means every one of them. */
export const PROCESS_ROLES = ['receiver', 'writer', 'api', 'services', 'worker'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]
