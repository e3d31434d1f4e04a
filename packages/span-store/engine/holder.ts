/** Counts bytes while they are in memory. */
export interface Holder {
  /** Reserves this many bytes before they are kept. Throws a Problem if there is no room. */
  hold(bytes: number): void
  /** Releases this many bytes. */
  release(bytes: number): void
}
