/** Smaller differences between the clocks do not matter, and part of them is the time that a response takes. */
const TOLERATED_MS = 60_000

let ahead = 0
const listeners = new Set<() => void>()

/** By how much the server's clock is ahead of this computer's, in milliseconds; 0 while both agree. */
export const serverAheadMs = (): number => ahead

export function onServerClock(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Learns from the `Date` of a response. Windows that end now end when it is now for the server, where spans arrive. */
export function noteServerDate(date: string | null): void {
  const found = Date.parse(date ?? '') - Date.now()
  if (Number.isNaN(found)) return
  const next = Math.abs(found) < TOLERATED_MS ? 0 : found
  if (Math.abs(next - ahead) < TOLERATED_MS) return
  ahead = next
  for (const listener of listeners) listener()
}
