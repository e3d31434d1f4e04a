import type { Uuid } from '@spanhouse/model'
import { PriceOverrides } from '@spanhouse/prices'
import type { ProjectPrices } from '../projects/prices.ts'

/** How long prices are used after they were loaded: a change applies to spans stored later than this. */
const FRESH_MS = 2_000

/** Prices older than this are reloaded while still in use: the process's main thread may be busy. */
const AGED_MS = 1_000

/** With the maximum number of models per project, a thousand projects take about 100 MB; most have none. */
const PROJECTS_MAX = 1_000

/** How many projects are loaded at once: bounds one response. */
const ASKED_MAX = 200

interface Known {
  overrides: PriceOverrides | undefined
  askedMs: number
}

/** Projects' own prices for a writer: loaded at most once a second per project, many projects together. */
export class PriceCache {
  readonly #load: (project_ids: Uuid[]) => Promise<ReadonlyMap<Uuid, ProjectPrices>>
  readonly #known = new Map<Uuid, Known>()
  #isRenewing = false

  /** `load` returns the projects that have their own prices. */
  constructor(load: (project_ids: Uuid[]) => Promise<ReadonlyMap<Uuid, ProjectPrices>>) {
    this.#load = load
  }

  /**
   * The prices of these projects, at most two seconds old. Rejects if they cannot be loaded: older ones are not used
   * instead.
   */
  async of(project_ids: ReadonlySet<Uuid>): Promise<ReadonlyMap<Uuid, PriceOverrides | undefined>> {
    const now = performance.now()
    const answer = new Map<Uuid, PriceOverrides | undefined>()
    const aged: Uuid[] = []
    const missing: Uuid[] = []
    for (const id of project_ids) {
      const known = this.#known.get(id)
      const ageMs = known ? now - known.askedMs : Number.POSITIVE_INFINITY
      if (ageMs < FRESH_MS) answer.set(id, known?.overrides)
      else missing.push(id)
      if (ageMs >= AGED_MS && ageMs < FRESH_MS) aged.push(id)
    }
    if (aged.length > 0) void this.#renew(aged)
    while (missing.length > 0)
      for (const [id, overrides] of await this.#read(missing.splice(0, ASKED_MAX))) answer.set(id, overrides)
    return answer
  }

  /** A failure is not reported yet: prices that were not renewed in time are loaded again for a caller that waits. */
  async #renew(project_ids: Uuid[]): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    await this.#read(project_ids.slice(0, ASKED_MAX)).catch(() => {})
    this.#isRenewing = false
  }

  async #read(project_ids: Uuid[]): Promise<[Uuid, PriceOverrides | undefined][]> {
    const askedMs = performance.now()
    const found = await this.#load(project_ids)
    return project_ids.map(id => {
      const prices = found.get(id)
      const overrides = prices && new PriceOverrides(prices)
      this.#remember(id, { overrides, askedMs })
      return [id, overrides]
    })
  }

  #remember(id: Uuid, known: Known): void {
    this.#known.delete(id)
    this.#known.set(id, known)
    // A Map keeps insertion order, so the first entry is the oldest.
    const [oldest] = this.#known.keys()
    if (this.#known.size > PROJECTS_MAX) this.#known.delete(oldest as Uuid)
  }
}
