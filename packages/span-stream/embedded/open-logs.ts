import { mkdirSync, realpathSync } from 'node:fs'
import { EmbeddedLog, type LogOptions } from './log.ts'

interface Entry {
  log: EmbeddedLog
  users: number
  closed?: Promise<void>
}

const entries = new Map<string, Entry>()

export interface OpenLog {
  log: EmbeddedLog
  /** The folder with symbolic links resolved: the same for all threads. */
  path: string
  /** Closes the log once no other user in this thread remains. Must be called once. */
  release(): Promise<void>
}

/**
 * Opens the log in a folder, once for all streams of this thread: while a transaction waits for its turn in the event
 * loop, opening LMDB a second time would wait for that transaction and block the event loop.
 */
export async function acquireLog(folder: string, options: LogOptions): Promise<OpenLog> {
  mkdirSync(folder, { recursive: true })
  const path = realpathSync(folder)
  while (entries.get(path)?.closed) await entries.get(path)?.closed
  const entry = entries.get(path) ?? { log: new EmbeddedLog(path, options), users: 0 }
  entries.set(path, entry)
  const { bytesMax, partitions } = entry.log
  if (bytesMax !== options.bytesMax || partitions !== options.partitions)
    throw new Error(`${path} is already open with a limit of ${bytesMax} bytes and ${partitions} partitions`)
  entry.users++
  return { log: entry.log, path, release: () => release(path, entry) }
}

async function release(path: string, entry: Entry): Promise<void> {
  entry.users--
  if (entry.users > 0) return
  entry.closed = entry.log.close().finally(() => entries.delete(path))
  await entry.closed
}
