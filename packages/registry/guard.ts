import { type JsonObject, Problem } from '@spanhouse/model'
import { STATIC_SLUG_PREFIX } from '@spanhouse/runtime'
import type { Kind, Scope } from './kind.ts'

/** Throws a 403 if the entity belongs to a guarded environment that the caller may not deploy to. */
export function requireUnguarded({ kind, mayDeploy }: Scope, artifactFlags: JsonObject | null): void {
  if (!kind.isEnvironment || mayDeploy || artifactFlags?.is_guarded !== true) return
  throw new Problem('forbidden', 'The environment is guarded: changing it requires the permission deploy_environments.')
}

/** Throws a 400 for a slug that is reserved for built-in workflows. */
export function refuseReservedSlug({ storedAs }: Kind, slug: string | undefined): void {
  if (storedAs !== 'workflow' || !slug?.startsWith(STATIC_SLUG_PREFIX)) return
  throw new Problem('invalid', `slug: names that begin with ${STATIC_SLUG_PREFIX} are reserved`)
}
