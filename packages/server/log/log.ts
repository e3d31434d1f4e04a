import { type Logger, pino } from 'pino'

/** Of lines that standard error does not take; what exceeds it is lost. */
const WAITING_BYTES_MAX = 1024 ** 2

/**
 * The log, on standard error. If that cannot be written, because it is a file on a full disk or a terminal that is
 * gone, the program continues without: lines wait for the next one that can be written. A thread opens one of its own,
 * with its name in each line: by default pino would write to standard output there, and an error would end the thread.
 */
export function openLog(level: string, name?: string): Logger {
  const stderr = pino.destination({ fd: 2, sync: true, maxLength: WAITING_BYTES_MAX })
  stderr.on('error', () => undefined)
  // Only what is added is written by itself, and nothing more is added.
  stderr.on('drop', () => {
    try {
      stderr.flushSync()
    } catch {}
  })
  return pino({ level, base: name === undefined ? undefined : { name } }, stderr)
}
