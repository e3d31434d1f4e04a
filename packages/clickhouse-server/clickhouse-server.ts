import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { lockFolder } from '@spanhouse/folder-lock'
import { folderOf, type ServerAddress } from './configuration.ts'
import { deleteReader, type Reader, writeReader } from './readers.ts'
import { type ServerProcess, startServerProcess, urlOf } from './server-process.ts'

/** A private ClickHouse server on the loopback address, restarted whenever it dies. */
export interface ClickHouseServer {
  /** Its HTTP address, including the user and a password that is generated at each start. Does not change. */
  readonly url: string
  /**
   * Adds a reader, or replaces the one with its name. Users are read only at the start, so the server restarts: for a
   * second or two its clients cannot connect. Resolves when it responds again; changes that come together share a
   * restart. Rejects with {@link TooManyRestarts} if it has restarted too often.
   */
  setReader(reader: Reader): Promise<void>
  /** Removes a reader and ends its statements, in the same way. False if there is none. */
  removeReader(name: string): Promise<boolean>
  /** Stops it and releases the folder. */
  stop(): Promise<void>
}

export interface ClickHouseServerOptions {
  /** The folder of its data; created if missing. */
  path: string
  /** Called when the server has died, with the reason and what happens next. */
  onDeath(message: string): void
}

/** How long the server of a process that was just killed may take to exit. */
const LEFTOVER_MS_MAX = 10_000
const RETRY_MS = 200

/**
 * Resolves when the server responds. Rejects if another process uses the folder, or if ClickHouse is not available for
 * the platform.
 */
export async function startClickHouse(options: ClickHouseServerOptions): Promise<ClickHouseServer> {
  const path = resolve(options.path)
  await mkdir(path, { recursive: true })
  const unlock = await lockFolder(path)
  try {
    const { address, server } = await startOn({ path, withTcp: false })
    return new KeptServer({ address, server, unlock, onDeath: options.onDeath })
  } catch (error) {
    await unlock()
    throw error
  }
}

/** Starts one on free ports. */
export async function startOn(place: {
  path: string
  withTcp: boolean
}): Promise<{ address: ServerAddress; server: ServerProcess }> {
  const password = randomBytes(24).toString('base64url')
  const deadline = performance.now() + LEFTOVER_MS_MAX
  for (;;) {
    const [httpPort = 0, tcpPort] = await freePorts(place.withTcp ? 2 : 1)
    const address = { path: place.path, password, httpPort, tcpPort }
    try {
      return { address, server: await startServerProcess(address) }
    } catch (error) {
      const { message } = error as Error
      const isTaken = /Cannot lock file/.test(message)
      if (!isTaken && !/Address already in use/i.test(message)) throw error
      if (performance.now() > deadline) throw isTaken ? new Error(`${place.path} is in use by another process`) : error
    }
    await delay(RETRY_MS)
  }
}

/** Free ports on the loopback address. Another process may take one before it is used. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as { port: number }).port)
  await Promise.all(servers.map(server => once(server.close(), 'close')))
  return ports
}

const BACKOFF_MS = { first: 200, last: 10_000 }
/** A server that ran this long died of a new cause. */
const STEADY_MS = 60_000

/**
 * After this many restarts in a row a reader is added only once in this many milliseconds. Those who may change the
 * readers of one project could otherwise keep the server from everybody else. Removals are as many as additions and
 * never wait.
 */
const RESTARTS = { atOnce: 10, everyMs: 20_000 }

/** Thrown if readers have been changed too often for another one to be added. */
export class TooManyRestarts extends Error {
  /** How long to wait before the next attempt. */
  readonly waitMs: number

  constructor(waitMs: number) {
    super('SQL readers were changed too often, and each change restarts ClickHouse.')
    this.name = 'TooManyRestarts'
    this.waitMs = waitMs
  }
}

interface Kept {
  address: ServerAddress
  server: ServerProcess
  unlock(): Promise<void>
  onDeath(message: string): void
}

/** Keeps a server running. While it is down, its clients cannot connect and treat the store as unreachable. */
export class KeptServer implements ClickHouseServer {
  readonly url: string
  readonly #kept: Kept
  readonly #stopping = new AbortController()
  readonly #stopped: Promise<void>
  #server: ServerProcess
  #waitMs = BACKOFF_MS.first
  #lastChange: Promise<unknown> = Promise.resolve()
  #lastRestart: Promise<void> = Promise.resolve()
  /** Has not begun. */
  #nextRestart: Promise<void> | undefined
  /** Until when past restarts use up what is allowed (ms of `performance.now`): each adds its share. */
  #restartsUntil = 0
  /** Set while the server is ended to be started again at once. */
  #restarting: (() => void) | undefined

  constructor(kept: Kept) {
    this.url = urlOf(kept.address)
    this.#kept = kept
    this.#server = kept.server
    this.#stopped = this.#keep()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#server.signal('SIGKILL')
    await this.#stopped
    await this.#kept.unlock()
  }

  async setReader(reader: Reader): Promise<void> {
    this.#refuseRestarts()
    await this.#change(async folder => {
      await writeReader(folder, reader)
      return true
    })
  }

  removeReader(name: string): Promise<boolean> {
    return this.#change(folder => deleteReader(folder, name))
  }

  /** One change of the configuration after the other; the server restarts if something has changed. */
  async #change(change: (folder: string) => Promise<boolean>): Promise<boolean> {
    const changed = this.#lastChange.then(() => change(folderOf(this.#kept.address.path)))
    this.#lastChange = changed.catch(() => undefined)
    if (!(await changed)) return false
    await this.#restartSoon()
    return true
  }

  /** Changes that are made before a restart has begun share it. */
  #restartSoon(): Promise<void> {
    this.#nextRestart ??= this.#lastRestart.then(() => {
      this.#nextRestart = undefined
      this.#restartsUntil = Math.max(this.#restartsUntil, performance.now()) + RESTARTS.everyMs
      this.#lastRestart = this.#restart()
      return this.#lastRestart
    })
    return this.#nextRestart
  }

  #refuseRestarts(): void {
    const { atOnce, everyMs } = RESTARTS
    const waitMs = this.#restartsUntil - performance.now() - (atOnce - 1) * everyMs
    if (waitMs > 0) throw new TooManyRestarts(waitMs)
  }

  async #restart(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#restarting = resolve
    this.#server.signal('SIGKILL')
    await promise
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      const began = performance.now()
      const reason = await this.#server.ended
      if (signal.aborted) return this.#restarting?.()
      const restarted = this.#restarting
      if (restarted) {
        this.#server = await startServerProcess(this.#kept.address).catch(() => this.#server)
        this.#restarting = undefined
        restarted()
      } else {
        if (performance.now() - began > STEADY_MS) this.#waitMs = BACKOFF_MS.first
        await this.#startAgain(reason)
      }
      // A stop or a restart may have been requested while it started.
      if (signal.aborted || this.#restarting) this.#server.signal('SIGKILL')
    }
  }

  async #startAgain(died: string): Promise<void> {
    const { signal } = this.#stopping
    for (let reason = died; !signal.aborted; ) {
      this.#kept.onDeath(`ClickHouse died (${reason}); it restarts in ${this.#waitMs / 1000} s`)
      await delay(this.#waitMs, undefined, { signal }).catch(() => undefined)
      this.#waitMs = Math.min(2 * this.#waitMs, BACKOFF_MS.last)
      if (signal.aborted) return
      try {
        this.#server = await startServerProcess(this.#kept.address)
        return
      } catch (error) {
        reason = (error as Error).message
      }
    }
  }
}
