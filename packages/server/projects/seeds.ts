import type { Seed } from '@spanhouse/access'
import { registrySeed, testsetSeed } from '@spanhouse/registry'
import type { RuntimeSettings } from '@spanhouse/runtime'

/** What new projects contain. */
export interface Seeds {
  /** However the project is created. */
  project: readonly Seed[]
  /** The project of an organization that a user creates. */
  organization: readonly Seed[]
}

export function seedsFor(settings: RuntimeSettings): Seeds {
  const project = [registrySeed(settings)]
  return { project, organization: [...project, testsetSeed(settings)] }
}
