import type { Uuid } from '@spanhouse/model'
import { Refusal } from '@spanhouse/span-stream'

/** How long exports are rejected unread after the stream has rejected one. */
const PAUSE_MS = 500

/** The key of what concerns all projects. */
const ALL = 'all'

/**
 * Rejects everything for a moment after the stream has rejected an export: reading, inflating and scanning exports that
 * are then rejected would take the time that the writers need to make room. If the stream has rejected only what this
 * project sends, the exports of others go on.
 */
export class PauseWhenFull {
  readonly #refusals = new Map<string, { refusal: Refusal; untilMs: number }>()

  async run<T>(project_id: Uuid, work: () => Promise<T>): Promise<T> {
    for (const key of [ALL, project_id]) this.#check(key)
    try {
      return await work()
    } catch (error) {
      if (error instanceof Refusal && error.why !== 'busy') {
        const key = error.why === 'project_full' ? project_id : ALL
        this.#refusals.set(key, { refusal: error, untilMs: performance.now() + PAUSE_MS })
      }
      throw error
    }
  }

  #check(key: string): void {
    const paused = this.#refusals.get(key)
    if (!paused) return
    if (performance.now() < paused.untilMs) throw paused.refusal
    this.#refusals.delete(key)
  }
}
