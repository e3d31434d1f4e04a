import type { Uuid } from '@spanhouse/model'
import { PriceOverrides } from '@spanhouse/prices'
import type { ProjectPrices } from '../project-prices.ts'

/** How long prices are used after they were read: a change counts for spans that are stored later than this. */
const FRESH_MS = 2_000

/** With as many models as a project may have, a thousand take about 100 MB; most have none. */
const PROJECTS_MAX = 1_000

/** How many projects are asked for at once: bounds one answer. */
const ASKED_MAX = 200

interface Known {
  overrides: PriceOverrides | undefined
  readMs: number
}

/** Projects' own prices as a writer uses them: each project is asked for at most once in two seconds. */
export class PriceCache {
  readonly #load: (project_ids: Uuid[]) => Promise<ReadonlyMap<Uuid, ProjectPrices>>
  readonly #known = new Map<Uuid, Known>()

  /** `load` answers with the projects that have prices of their own. */
  constructor(load: (project_ids: Uuid[]) => Promise<ReadonlyMap<Uuid, ProjectPrices>>) {
    this.#load = load
  }

  /**
   * The prices of these projects, as they were at most two seconds ago. Rejects when they cannot be read: nothing older
   * is used instead.
   */
  async of(project_ids: ReadonlySet<Uuid>): Promise<ReadonlyMap<Uuid, PriceOverrides | undefined>> {
    const freshSince = performance.now() - FRESH_MS
    const answer = new Map<Uuid, PriceOverrides | undefined>()
    const stale: Uuid[] = []
    for (const id of project_ids) {
      const known = this.#known.get(id)
      if (known && known.readMs > freshSince) answer.set(id, known.overrides)
      else stale.push(id)
    }
    while (stale.length > 0)
      for (const [id, overrides] of await this.#read(stale.splice(0, ASKED_MAX))) answer.set(id, overrides)
    return answer
  }

  async #read(project_ids: Uuid[]): Promise<[Uuid, PriceOverrides | undefined][]> {
    const readMs = performance.now()
    const found = await this.#load(project_ids)
    return project_ids.map(id => {
      const prices = found.get(id)
      const overrides = prices && new PriceOverrides(prices)
      this.#remember(id, { overrides, readMs })
      return [id, overrides]
    })
  }

  #remember(id: Uuid, known: Known): void {
    this.#known.delete(id)
    this.#known.set(id, known)
    // A map keeps the order of insertion, so the first is the oldest.
    const [oldest] = this.#known.keys()
    if (this.#known.size > PROJECTS_MAX) this.#known.delete(oldest as Uuid)
  }
}
