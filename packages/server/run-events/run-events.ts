import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgress, isOver, type RunProgress, type Scope } from '@spanhouse/evaluation'
import { Problem, type Uuid } from '@spanhouse/model'
import type { FastifyBaseLogger } from 'fastify'
import { commentText, eventText, SILENCE_MS } from '../http/answer/server-sent-events.ts'

/** How often a run with listeners is read, … */
const LOOK_EVERY_MS = 500
/** … which may take at most this part of the time: the counts of a large run take longer. */
const LOOK_SHARE = 1 / 20
/** … but it is read this often, however long that takes: on a busy server most of it is waiting for others. */
const LOOK_EVERY_MS_MAX = 10_000
/** How much may wait for a listener that reads slowly: it misses intermediate progress, never the end. */
const WAITING_BYTES_MAX = 64 * 1024

/** A run with listeners. */
interface Followed {
  run_id: Uuid
  listeners: Set<PassThrough>
  /** What all listeners were told last; undefined if they differ. */
  last: RunProgress | undefined
}

/**
 * Streams the progress of runs. A run is read from Postgres while it has listeners, once for all of those that this
 * process has; so it does not matter which process carries the run out.
 */
export class RunEvents {
  readonly #runs = new Map<string, Followed>()
  #isClosed = false

  /**
   * Events of a run: `progress` at once and whenever a count changes, `state` whenever its status or a lock does, `end`
   * when it is over or deleted, and comments in between. Throws a Problem `not_found` for a run that there is not, and
   * `overloaded` if the server is stopping. The share `listen` limits the number of listeners.
   */
  async listen(scope: Scope, run_id: Uuid, log: FastifyBaseLogger): Promise<Readable> {
    const progress = await findProgress(scope, run_id)
    if (!progress) throw new Problem('not_found', { message: `The run ${run_id} does not exist.`, run_id })
    if (this.#isClosed) throw new Problem('overloaded', 'The server is stopping.', { retryAfterSeconds: 10 })
    const events = new PassThrough()
    events.write(eventText('progress', JSON.stringify(progress)))
    if (isOver(progress)) return events.end(eventText('end', JSON.stringify(progress)))
    const key = `${scope.project_id} ${run_id}`
    const followed = this.#runs.get(key) ?? { run_id, listeners: new Set<PassThrough>(), last: progress }
    // What this listener was told may be older than what the others were: then the next look tells everybody.
    if (JSON.stringify(followed.last) !== JSON.stringify(progress)) followed.last = undefined
    followed.listeners.add(events)
    events.once('close', () => followed.listeners.delete(events))
    if (!this.#runs.has(key)) {
      this.#runs.set(key, followed)
      void this.#follow(key, followed, scope, log)
    }
    return events
  }

  /** Ends all streams and accepts no more listeners. */
  close(): void {
    this.#isClosed = true
    for (const { listeners } of this.#runs.values()) for (const events of listeners) events.end()
  }

  /** Reads until there are no more listeners, or the run is over. */
  async #follow(key: string, followed: Followed, scope: Scope, log: FastifyBaseLogger): Promise<void> {
    const { listeners } = followed
    let silentSince = performance.now()
    for (let tookMs = 0; ; ) {
      await delay(Math.min(LOOK_EVERY_MS_MAX, Math.max(LOOK_EVERY_MS, tookMs / LOOK_SHARE)))
      if (listeners.size === 0 || this.#isClosed) break
      const begin = performance.now()
      try {
        if (tell(followed, await findProgress(scope, followed.run_id))) silentSince = begin
      } catch (error) {
        log.warn({ err: error }, 'cannot read the progress of a run')
      }
      tookMs = performance.now() - begin
      if (begin - silentSince < SILENCE_MS) continue
      for (const events of listeners) send(events, commentText())
      silentSince = begin
    }
    // In the same turn as the last check for listeners: one that arrives now starts a new loop.
    this.#runs.delete(key)
  }
}

/** Tells the listeners what has changed, and whether anything has. */
function tell(followed: Followed, progress: RunProgress | undefined): boolean {
  const { listeners, last, run_id } = followed
  if (progress === undefined) return end(listeners, JSON.stringify({ run_id, is_deleted: true }))
  const text = JSON.stringify(progress)
  if (text === JSON.stringify(last)) return false
  followed.last = progress
  for (const events of listeners) {
    if (stateOf(progress) !== stateOf(last)) send(events, eventText('state', stateOf(progress)))
    send(events, eventText('progress', text))
  }
  if (isOver(progress)) end(listeners, text)
  return true
}

const stateOf = (progress: RunProgress | undefined): string =>
  JSON.stringify(progress, ['run_id', 'status', 'is_active', 'is_closed'])

function send(events: PassThrough, text: string): void {
  if (!events.writableEnded && events.writableLength <= WAITING_BYTES_MAX) events.write(text)
}

function end(listeners: Set<PassThrough>, text: string): boolean {
  for (const events of listeners) events.end(eventText('end', text))
  listeners.clear()
  return true
}
