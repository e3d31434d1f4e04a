import { type JsonObject, Problem } from '@spanhouse/model'
import { type Database, toJsonb, withDatabaseProblems } from '@spanhouse/postgres'
import type { CredentialCache } from './authenticate.ts'
import type { ProjectPrincipal } from './principal.ts'
import type { Quota, Quotas } from './quota.ts'

/** The quotas of the principal's project and its keys; keys without one are omitted. */
export function projectQuotas(db: Database, { project_id }: ProjectPrincipal): Promise<Quotas> {
  return withDatabaseProblems(async () => {
    const project = await db.selectFrom('projects').select('quota').where('id', '=', project_id).executeTakeFirst()
    const keys = await db
      .selectFrom('api_keys')
      .select(['prefix', 'quota'])
      .where('project_id', '=', project_id)
      .where('quota', 'is not', null)
      .execute()
    return {
      project: (project?.quota ?? {}) as unknown as Quota,
      keys: Object.fromEntries(keys.map(({ prefix, quota }) => [prefix, quota as unknown as Quota])),
    }
  })
}

/** Replaces all quotas of the principal's project. Throws a Problem `not_found` for a key that is not the project's. */
export async function setProjectQuotas(
  db: Database,
  cache: CredentialCache,
  { principal: { project_id }, quotas }: { principal: ProjectPrincipal; quotas: Quotas },
): Promise<void> {
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await trx
        .updateTable('projects')
        .set({ quota: storedQuota(quotas.project) })
        .where('id', '=', project_id)
        .execute()
      const ofProject = trx.updateTable('api_keys').where('project_id', '=', project_id)
      await ofProject.set({ quota: null }).where('quota', 'is not', null).execute()
      for (const [prefix, quota] of Object.entries(quotas.keys ?? {})) {
        const changed = ofProject.set({ quota: storedQuota(quota) }).where('prefix', '=', prefix)
        const { numUpdatedRows } = await changed.executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) throw new Problem('not_found', `keys.${prefix}: the project has no such key.`)
      }
    }),
  )
  cache.forget()
}

const storedQuota = (quota: Quota): string | null => {
  const given = Object.entries(quota).filter(([, value]) => value !== undefined)
  return given.length === 0 ? null : toJsonb(Object.fromEntries(given) as JsonObject)
}
