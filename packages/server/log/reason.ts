/** The message of an error and of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || error.name
  return error.cause === undefined ? own : `${own.replace(/\.$/, '')}: ${reasonOf(error.cause)}`
}
