import { RETENTION_DAYS_MAX } from '@spanhouse/span-store'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { projectRetention, type RetentionStores, setProjectRetention } from '../../projects/retention.ts'

const path = '/projects/current/retention'
const tag = 'projects'
const retention = z.object({
  days: z
    .int()
    .min(1)
    .max(RETENTION_DAYS_MAX)
    .nullable()
    .meta({ description: 'For how many days spans are kept after they are stored; null: forever.' }),
})

/** How long the spans of the credential's project are kept. */
export function retentionRoutes(stores: RetentionStores): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path,
      tag,
      permission: 'view_spans',
      share: 'call',
      answer: retention,
      summary: "Returns for how long the project's spans are kept.",
      handle: async ({ principal }) => ({ days: await projectRetention(stores, principal.project_id) }),
    })
    addEndpoint(app, {
      method: 'PUT',
      path,
      tag,
      permission: 'edit_workspace',
      body: retention,
      answer: retention,
      summary: "Changes for how long the project's spans are kept, including those already stored.",
      handle: async ({ principal, body: { days } }) => {
        await setProjectRetention(stores, principal.project_id, days)
        return { days }
      },
    })
  }
}
