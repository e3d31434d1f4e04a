import { type Logger, pino } from 'pino'

/** Of lines that standard error does not take; what exceeds it is lost. */
const WAITING_BYTES_MAX = 1024 ** 2

/**
 * The log, on standard error. If that cannot be written, because it is a file on a full disk or a terminal that is
 * gone, the program continues without: lines wait for the next one that can be written.
 */
export function openLog(level: string): Logger {
  const stderr = pino.destination({ fd: 2, sync: true, maxLength: WAITING_BYTES_MAX })
  stderr.on('error', () => undefined)
  // Only what is added is written by itself, and nothing more is added.
  stderr.on('drop', () => {
    try {
      stderr.flushSync()
    } catch {}
  })
  return pino({ level, base: undefined }, stderr)
}
