import { filterBody, findRow, listWorklist, type QueueRow, type Scope } from '@spanhouse/evaluation'
import { list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { requireSameId } from '../../http/ids.ts'
import {
  addEvaluationEndpoint,
  type EvaluationRoutes,
  manyListed,
  manyOf,
  manyRows,
  permissionsOf,
} from './endpoint.ts'

const tag = 'evaluations'

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

/** The worklist of a person in a queue. */
export function addWorklistRoute(routes: EvaluationRoutes): void {
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
