import { openSecrets, type Vault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import { type ModelSecret, type ProviderRoute, RoutingError, route } from '@spanhouse/models'
import type { Database } from '@spanhouse/postgres'

/** How long credentials are used after they were read: a change in another process counts for runs that begin later. */
const FRESH_MS = 1_000

const KINDS = ['provider_key', 'custom_provider'] as const

/**
 * The credentials for models of all projects, in clear text, as they were at most a second ago. They are in this process's memory
 * only, and no longer than that second.
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
   * Finds the credential for a model; see `route`. What was read before does not count against a model: a key may just have been
   * stored. Rejects with a Problem `overloaded` (503) when the credentials cannot be read, which is another thing than that there
   * is none.
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

  /** To be called when a secret of the project has changed. */
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
