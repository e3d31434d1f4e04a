import type { Seed } from '@spanhouse/access'

/** What every new project contains, however it is made. */
export const PROJECT_SEEDS: readonly Seed[] = []

/** What the project of an organization that a user makes contains. */
export const ORGANIZATION_SEEDS: readonly Seed[] = [...PROJECT_SEEDS]
