/**
 * The exclusive right to do something among all processes that share a database. It lasts until it is released or lost:
 * it does not expire and needs no renewal.
 */
export interface Lease {
  readonly name: string
  /**
   * Aborts when the lease may have passed to another holder: the connection that held it died, or the database was
   * closed. The holder must stop at once; `release` is then unnecessary and does nothing.
   */
  readonly lost: AbortSignal
  /** Resolves when others can acquire it. */
  release(): Promise<void>
}

export interface Leases {
  /**
   * The lease with this name, or null if it is held, also by this process. Throws a Problem `overloaded` if the
   * database is unreachable.
   */
  tryAcquire(name: string): Promise<Lease | null>
  /** How many of these names are held, by any process. Throws like `tryAcquire`. */
  countHeld(names: readonly string[]): Promise<number>
  /** Loses every lease that this process holds. */
  close(): Promise<void>
}

/** Does the work if nobody holds the lease, which it then has until the work ends. */
export async function whileLeased(
  { lease }: { lease(name: string): Promise<Lease | null> },
  name: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const held = await lease(name)
  if (held === null) return
  try {
    await work(held.lost)
  } finally {
    await held.release()
  }
}
