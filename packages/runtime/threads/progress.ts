/** The progress of a thread with its current question, in memory that it shares with the caller. */
export class Progress {
  readonly buffer: SharedArrayBuffer
  readonly #numbers: Float64Array

  constructor(buffer = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#numbers = new Float64Array(buffer)
  }

  /** The last stage that it has reached. */
  get stage(): number {
    return this.#numbers[0] as number
  }

  set stage(stage: number) {
    this.#numbers[0] = stage
  }

  /** The processor time that the thread had used when it began with the question; infinite if it has not yet. */
  get begunAtMs(): number {
    return this.#numbers[1] as number
  }

  set begunAtMs(ms: number) {
    this.#numbers[1] = ms
  }

  /** Before the next question. */
  clear(): void {
    this.stage = 0
    this.begunAtMs = Number.POSITIVE_INFINITY
  }
}
