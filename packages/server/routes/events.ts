import { EVENT_DAYS_MAX, eventDays, eventQuery, exportEvents, listEvents, setEventDays } from '@spanhouse/events'
import type { Postgres } from '@spanhouse/postgres'
import { optional, uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { JsonLines } from '../http/answer/send-answer.ts'
import { nextPage } from '../http/answer/span-answers.ts'
import { addAdminEndpoint, addEndpoint } from '../http/endpoint.ts'

const tag = 'events'
const permission = 'view_events'

const event = z.looseObject({
  event_id: z.string(),
  event_type: z.string(),
  timestamp: z.string(),
  created_at: z.string(),
  attributes: z.looseObject({}),
  actor: z.looseObject({}).optional(),
})
const events = z.object({ count: z.int(), events: z.array(event), windowing: nextPage })
const retention = z.object({
  days: z.int().min(1).max(EVENT_DAYS_MAX).meta({ description: 'For how many days events and deliveries are kept.' }),
})

/** The log of what has happened in a project: who has changed what, and what webhooks were told. */
export function eventRoutes({ db }: Pick<Postgres, 'db'>): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'POST',
      path: '/events/query',
      tag,
      permission,
      body: eventQuery,
      answer: events,
      summary: 'Lists events, newest first.',
      handle: ({ principal: { project_id }, body }) => listEvents({ db, project_id }, body),
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/events/export',
      tag,
      permission,
      share: 'heavy',
      body: eventQuery,
      answerTypes: ['application/jsonl'],
      summary: 'Exports events as JSON lines.',
      handle: ({ principal: { project_id }, body }) => new JsonLines(exportEvents({ db, project_id }, body)),
    })
    addAdminEndpoint(app, {
      method: 'POST',
      path: '/admin/events/query',
      tag,
      body: eventQuery.extend({ project_id: optional(uuid) }),
      answer: events,
      summary: 'Lists the events of a project, or of all and of what belongs to none.',
      handle: ({ body: { project_id, ...query } }) => listEvents({ db, project_id }, query),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/events/retention',
      tag,
      permission,
      answer: retention,
      summary: 'Returns for how long events and deliveries are kept.',
      handle: async ({ principal: { project_id } }) => ({ days: await eventDays(db, project_id) }),
    })
    addEndpoint(app, {
      method: 'PUT',
      path: '/events/retention',
      tag,
      permission: 'edit_workspace',
      body: retention,
      answer: retention,
      summary: 'Changes for how long events and deliveries are kept.',
      handle: async ({ principal: { project_id }, body }) => {
        await setEventDays(db, project_id, body.days)
        return body
      },
    })
  }
}
