/** An error in the command line itself. */
export class UsageError extends Error {}

/** The exit statuses, for scripts. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const
