/**
 * The exclusive right to do something, among all processes that share a database. It lasts until it is released or
 * lost: there is no time after which it must be renewed.
 */
export interface Lease {
  readonly name: string
  /**
   * Aborts when the lease may have passed to somebody else: the connection that held it died, or the database was
   * closed. The holder stops at once; `release` is then not needed and does nothing.
   */
  readonly lost: AbortSignal
  /** Resolves when others can acquire it. */
  release(): Promise<void>
}

export interface Leases {
  /**
   * The lease with this name, or null when somebody has it, in this process too. Throws a Problem `overloaded` when
   * the database cannot be reached.
   */
  tryAcquire(name: string): Promise<Lease | null>
  /** How many of these names somebody has, whoever it is. Throws as `tryAcquire`. */
  countHeld(names: readonly string[]): Promise<number>
  /** Loses every lease that is held. */
  close(): Promise<void>
}
