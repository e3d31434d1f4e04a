import { openSecrets, type Vault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import type { ModelSecret } from '@spanhouse/models'
import type { Database } from '@spanhouse/postgres'

/** Where the secrets of projects are. */
export interface SecretStore {
  db: Database
  vault: Vault
}

const KINDS = ['provider_key', 'custom_provider'] as const

/** A project's credentials for models, in clear text: read when a run first needs them, and gone with it. */
export class ProjectSecrets {
  readonly #store: SecretStore
  readonly #project_id: Uuid
  #loaded: Promise<ModelSecret[]> | undefined

  constructor(store: SecretStore, project_id: Uuid) {
    this.#store = store
    this.#project_id = project_id
  }

  /** Rejects with a Problem `overloaded` (503) when they cannot be read, which is another thing than that there are none. */
  forModels(): Promise<ModelSecret[]> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }

  async #load(): Promise<ModelSecret[]> {
    const { db, vault } = this.#store
    const opened = await openSecrets(db, vault, { project_id: this.#project_id, kinds: KINDS })
    return opened.map(({ slug, name, kind, data }) => ({
      slug: slug ?? undefined,
      kind,
      data: { ...data, provider_slug: name },
    })) as unknown as ModelSecret[]
  }
}
