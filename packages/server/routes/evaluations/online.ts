import { explainTrace, findRow } from '@spanhouse/evaluation'
import { Problem } from '@spanhouse/model'
import { ignoredBody, integerText, optional, time, uuid, z } from '@spanhouse/validation'
import { addAdminEndpoint } from '../../http/endpoint.ts'
import { addEvaluationEndpoint, type EvaluationRoutes, permissionsOf } from './endpoint.ts'

/** Online evaluation: why a trace was evaluated or not, and the hook by which a scheduler asks for a look. */
export function addOnlineRoutes(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/runs/:run_id/explain',
    tag: 'evaluations',
    permission: permissionsOf('results').view,
    share: 'read',
    params: z.object({ run_id: uuid }),
    query: z.object({ trace_id: uuid.meta({ description: '32 hex digits, with or without dashes.' }) }),
    summary: 'Explains why a live run has evaluated a trace, or has not.',
    answer: z.object({ count: z.int(), explanation: z.looseObject({ reason: z.string() }).optional() }),
    handle: async ({ scope, params, query }) => {
      const trace_id = query.trace_id.replaceAll('-', '')
      const run = await findRow(scope, 'runs', params.run_id)
      if (!run) return { count: 0 }
      const { engine } = routes.evaluations
      if (!engine) throw new Problem('unsupported', 'This process does not read spans.')
      return { count: 1, explanation: await explainTrace(scope, engine, { run, trace_id }) }
    },
  })
  addAdminEndpoint(routes.app, {
    method: 'POST',
    path: '/admin/evaluations/runs/refresh',
    tag: 'administration',
    query: z.object({
      trigger_interval: optional(integerText({ min: 1, max: INTERVAL_MAX })),
      trigger_datetime: optional(time),
    }),
    body: ignoredBody,
    summary: 'Looks for new traces of live runs at once instead of at the next second.',
    answer: z.object({ status: z.enum(['success', 'failure', 'error']) }),
    handle: async ({ query }) => {
      if (query.trigger_datetime === undefined) return { status: 'error' }
      const { online } = routes.evaluations
      return { status: !online || (await online.lookNow()) ? 'success' : 'failure' }
    },
  })
}

/** Minutes between two calls of the scheduler. */
const INTERVAL_MAX = 60
