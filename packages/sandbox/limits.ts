/** The resources of one run, and how many runs may wait. None of these is a setting. */
export const SANDBOX_LIMITS = {
  /** UTF-8 bytes of the source. */
  sourceBytesMax: 1024 * 1024,
  /** UTF-8 bytes of the arguments, as JSON. */
  argumentBytesMax: 16 * 1024 * 1024,
  /** UTF-8 bytes of the returned value, as JSON. */
  outputBytesMax: 1024 * 1024,
  /** Nesting depth of lists and objects in the returned value. */
  outputLevelsMax: 200,
  /** Processor time of a run. It is checked four times a second. */
  cpuMsMax: 5_000,
  /** From sending the code to the process until its answer, without the time in which it waits for a processor. */
  wallMsMax: 10_000,
  /** Of the time in which it waits for a processor. What it waits longer counts. */
  waitedMsMax: 60_000,
  /** Of the interpreter, including itself: a WebAssembly memory cannot grow beyond it. */
  memoryBytesMax: 256 * 1024 * 1024,
  /** Maximum length of an error's message, in characters. */
  messageLengthMax: 2_000,
  /** Maximum waiting runs of one owner and interpreter. */
  waitingMax: 100,
} as const
