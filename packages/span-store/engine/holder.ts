/** Where bytes are counted while they are in memory. */
export interface Holder {
  /** So many bytes are about to be kept. Throws a Problem when there is no room for them. */
  hold(bytes: number): void
  /** So many of them are kept no more. */
  release(bytes: number): void
}
