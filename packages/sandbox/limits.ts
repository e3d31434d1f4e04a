/** What one run may use, and how many may wait. None of these is a setting. */
export const SANDBOX_LIMITS = {
  /** UTF-8 bytes of the source. */
  sourceBytesMax: 1024 * 1024,
  /** UTF-8 bytes of the arguments, as JSON. */
  argumentBytesMax: 16 * 1024 * 1024,
  /** UTF-8 bytes of the returned value, as JSON. */
  outputBytesMax: 1024 * 1024,
  /** Levels of lists and objects in the returned value. */
  outputLevelsMax: 200,
  /** Processor time of a run. It is looked at four times a second. */
  cpuMsMax: 5_000,
  /** From when the process has the code until it has answered. */
  wallMsMax: 10_000,
  /** Of the interpreter, itself included: a WebAssembly memory cannot grow beyond it. */
  memoryBytesMax: 256 * 1024 * 1024,
  /** Characters of an error's message. */
  messageLengthMax: 2_000,
  /** Runs of one owner and interpreter that wait. */
  waitingMax: 100,
} as const
