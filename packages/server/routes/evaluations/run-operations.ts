import { findDefaultQueue, refreshed, refreshMetrics, setClosed, status } from '@spanhouse/evaluation'
import { ignoredBody, list, optional, uuid, z } from '@spanhouse/validation'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import {
  addEvaluationEndpoint,
  type EvaluationRoutes,
  manyOf,
  manyRows,
  oneOf,
  oneRow,
  permissionsOf,
} from './endpoint.ts'

const tag = 'evaluations'
const runParams = z.object({ run_id: uuid })

/** What is done with runs, in addition to what is done with every entity: locks, default queues, their metrics. */
export function addRunOperations(routes: EvaluationRoutes): void {
  addLocks(routes)
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/runs/:run_id/queues/default',
    tag,
    permission: permissionsOf('queues').view,
    params: runParams,
    summary: 'Fetches the default queue of a run, unless it is archived.',
    answer: oneOf('queue'),
    handle: async ({ scope, params }) => oneRow('queues', await findDefaultQueue(scope, params.run_id)),
  })
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: '/evaluations/metrics/refresh',
    tag,
    permission: permissionsOf('metrics').edit,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    summary: 'Computes metrics of runs, scenarios or buckets and stores them.',
    body: z.object({ metrics: refreshed }),
    answer: manyOf('metrics'),
    handle: async ({ scope, body }) => manyRows('metrics', await refreshMetrics(scope, body.metrics)),
  })
}

function addLocks(routes: EvaluationRoutes): void {
  const permission = permissionsOf('runs').edit
  for (const verb of ['close', 'open'] as const) {
    const isClosed = verb === 'close'
    addEvaluationEndpoint(routes, {
      method: 'POST',
      path: `/evaluations/runs/${verb}`,
      tag,
      permission,
      summary: isClosed ? 'Locks the named runs against changes.' : 'Unlocks the named runs.',
      body: z.object({ run_ids: list(uuid) }),
      answer: manyOf('runs'),
      handle: async ({ scope, body }) => manyRows('runs', await setClosed(scope, body.run_ids, { isClosed })),
    })
    addEvaluationEndpoint(routes, {
      method: 'POST',
      path: `/evaluations/runs/:run_id/${verb}`,
      tag,
      permission,
      params: runParams,
      query: z.object(isClosed ? { status: optional(status) } : {}),
      body: ignoredBody,
      summary: isClosed ? 'Locks a run against changes and sets its final status.' : 'Unlocks a run.',
      answer: oneOf('run'),
      handle: async ({ scope, params, query }) => {
        const { status: last } = query as { status?: z.output<typeof status> }
        const [row] = await setClosed(scope, [params.run_id], { isClosed, status: last })
        return oneRow('runs', row)
      },
    })
  }
}
