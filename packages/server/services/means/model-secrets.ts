import { setTimeout as delay } from 'node:timers/promises'
import { openSecrets, type Vault } from '@spanhouse/access'
import { Problem, type Uuid } from '@spanhouse/model'
import { type ModelSecret, type ProviderRoute, RoutingError, route } from '@spanhouse/models'
import type { Database } from '@spanhouse/postgres'

/** How long credentials are cached. A change made in another process takes effect after this time. */
const FRESH_MS = 1_000
/** Between two attempts to read them, for a run that waits. */
const RETRY_MS = 1_000

const KINDS = ['provider_key', 'custom_provider'] as const

/** Finds the credential for a model. */
export type ModelRoutes = Pick<ModelSecrets, 'routeTo'>

/** The same for a run that nobody waits for: while the credentials cannot be read it tries again until its end. */
export const untilReadable = (secrets: ModelRoutes, signal: AbortSignal): ModelRoutes => ({
  routeTo: async (...asked) => {
    for (;;)
      try {
        return await secrets.routeTo(...asked)
      } catch (error) {
        if (!(error instanceof Problem && error.retryable)) throw error
        await delay(RETRY_MS, undefined, { signal })
      }
  },
})

/**
 * The decrypted credentials for models, by project. They are cached for a second, in the memory of this process only.
 */
export class ModelSecrets {
  readonly #db: Database
  readonly #vault: Vault
  readonly #read = new Map<Uuid, Promise<ModelSecret[]>>()

  constructor(db: Database, vault: Vault) {
    this.#db = db
    this.#vault = vault
  }

  /**
   * Finds the credential for a model; see `route`. If the cached credentials have none, reads them again: the key may
   * just have been stored. Rejects with a Problem `overloaded` (503) when the credentials cannot be read, as opposed to
   * missing.
   */
  async routeTo(project_id: Uuid, model: string, connection: string | undefined): Promise<ProviderRoute> {
    const known = this.#read.get(project_id)
    try {
      return route(model, connection, await (known ?? this.#readAnew(project_id)))
    } catch (error) {
      if (known === undefined || !(error instanceof RoutingError)) throw error
      return route(model, connection, await this.#readAnew(project_id))
    }
  }

  /** Removes a project's credentials from the cache; to be called when one of its secrets has changed. */
  forget(project_id: Uuid): void {
    this.#read.delete(project_id)
  }

  #readAnew(project_id: Uuid): Promise<ModelSecret[]> {
    const reading = this.#open(project_id)
    this.#read.set(project_id, reading)
    const drop = (): void => {
      if (this.#read.get(project_id) === reading) this.#read.delete(project_id)
    }
    setTimeout(drop, FRESH_MS).unref()
    reading.catch(drop)
    return reading
  }

  async #open(project_id: Uuid): Promise<ModelSecret[]> {
    const opened = await openSecrets(this.#db, this.#vault, { project_id, kinds: KINDS })
    return opened.map(({ slug, name, kind, data }) => ({
      slug: slug ?? undefined,
      kind,
      data: { ...data, provider_slug: name },
    })) as unknown as ModelSecret[]
  }
}
