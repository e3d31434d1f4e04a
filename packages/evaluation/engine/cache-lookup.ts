import type { Uuid } from '@spanhouse/model'
import type { StoredTrace, StoredTraces } from './doors.ts'

/** How long lookups are gathered for one statement. */
const GATHER_MS = 10

/** A call whose trace may be there already. */
export interface CachedCall {
  hash_id: Uuid
  revision_id: Uuid
}

interface Gathering {
  hashes: Set<Uuid>
  found: Promise<Map<Uuid, StoredTrace[]>>
}

/**
 * Finds traces to reuse, by hash: many lookups at once become one statement for each revision. Cells of one scenario
 * get different traces.
 */
export class CacheLookup {
  readonly #traces: Pick<StoredTraces, 'findByHash'>
  readonly #project_id: Uuid
  readonly #countMax: number
  /** By revision. */
  readonly #gathering = new Map<Uuid, Gathering>()
  /** Ids of traces that were given to a scenario. */
  readonly #given = new Map<Uuid, Set<string>>()

  /** `countMax`: how many cells of a scenario can have the same hash. */
  constructor(traces: Pick<StoredTraces, 'findByHash'>, project_id: Uuid, countMax: number) {
    this.#traces = traces
    this.#project_id = project_id
    this.#countMax = countMax
  }

  /** The newest trace with this hash that the scenario has not got yet, and that is not among those it has `used`. */
  async take(scenario_id: Uuid, call: CachedCall, used: readonly string[]): Promise<StoredTrace | undefined> {
    const traces = (await this.#find(call)).get(call.hash_id) ?? []
    const given = this.#given.get(scenario_id) ?? new Set(used)
    this.#given.set(scenario_id, given)
    const free = traces.find(({ place }) => !given.has(place.trace_id))
    if (free) given.add(free.place.trace_id)
    return free
  }

  /** The scenario is finished. */
  forget(scenario_id: Uuid): void {
    this.#given.delete(scenario_id)
  }

  #find({ hash_id, revision_id }: CachedCall): Promise<Map<Uuid, StoredTrace[]>> {
    const gathering = this.#gathering.get(revision_id) ?? this.#gather(revision_id)
    this.#gathering.set(revision_id, gathering)
    gathering.hashes.add(hash_id)
    return gathering.found
  }

  #gather(revision_id: Uuid): Gathering {
    const hashes = new Set<Uuid>()
    const found = new Promise<void>(resolve => setTimeout(resolve, GATHER_MS)).then(() => {
      this.#gathering.delete(revision_id)
      return this.#traces.findByHash(this.#project_id, { hashes: [...hashes], revision_id, countMax: this.#countMax })
    })
    return { hashes, found }
  }
}
