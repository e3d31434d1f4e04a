import {
  filterBody,
  findDefaultQueue,
  findRow,
  listWorklist,
  type QueueRow,
  refreshed,
  refreshMetrics,
  type Scope,
  setClosed,
  status,
} from '@spanhouse/evaluation'
import { ignoredBody, list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import {
  addEvaluationEndpoint,
  type EvaluationRoutes,
  manyListed,
  manyOf,
  manyRows,
  oneOf,
  oneRow,
  permissionsOf,
} from './endpoint.ts'
import { requireSameId } from './entities.ts'

const tag = 'evaluations'
const runParams = z.object({ run_id: uuid })

/**
 * Endpoints of single entities, in addition to those of all: locks, default queues, the computation of metrics,
 * worklists.
 */
export function addMoreRoutes(routes: EvaluationRoutes): void {
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
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: '/evaluations/queues/:queue_id/scenarios/query',
    tag,
    permission: permissionsOf('queues').view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    params: z.object({ queue_id: uuid }),
    summary: 'Lists the scenarios of a queue assigned to a user, in the order of their assignment.',
    body: worklistBody,
    answer: manyOf('scenarios'),
    handle: async ({ scope, params, body, holder }) => {
      requireSameId('queue', params.queue_id, body.queue?.id)
      const queue = await findRow(scope, 'queues', params.queue_id)
      const users = body.queue?.user_id === undefined ? [] : [body.queue.user_id]
      return worklist(scope, queue, { ...body, users, isSubset: true, holder })
    },
  })
}

/** Whose scenarios of a queue are asked for, and which of them. */
export const worklistBody = z.object({
  queue: optional(z.object({ id: optional(uuid), user_id: optional(uuid), user_ids: optional(list(uuid)) })),
  scenario: optional(filterBody('scenarios')),
  windowing: optional(windowing),
})

interface Asked extends Pick<z.output<typeof worklistBody>, 'scenario' | 'windowing'> {
  users: string[]
  isSubset: boolean
  holder: Parameters<typeof manyListed>[2]['holder']
}

/** The answer to a question for a worklist; without a queue there is nothing in it. */
export async function worklist(
  scope: Scope,
  queue: QueueRow | undefined,
  { users, isSubset, scenario, windowing: window, holder }: Asked,
): Promise<object> {
  if (!queue) return manyRows('scenarios', [])
  const found = await listWorklist(scope, queue, { users, isSubset, filter: scenario, windowing: window })
  return manyListed('scenarios', found, { holder })
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
