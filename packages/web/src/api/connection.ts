import { ApiError } from './client.ts'

/** Why the newest attempt to reach the server failed; undefined while it responds. */
let trouble: string | undefined
const listeners = new Set<() => void>()

export const connectionTrouble = (): string | undefined => trouble

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function noteSuccess(): void {
  set(undefined)
}

export function noteFailure(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.status === 0) set('The server cannot be reached. What is shown may be out of date; trying again …')
  else if (error.isPassing) set(`The server is busy: ${error.message} Trying again …`)
}

function set(next: string | undefined): void {
  if (next === trouble) return
  trouble = next
  for (const listener of listeners) listener()
}
