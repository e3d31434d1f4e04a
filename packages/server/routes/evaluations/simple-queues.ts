import {
  addSources,
  createSimpleQueue,
  deleteSimpleQueues,
  findSimpleQueue,
  listSimpleQueues,
  newSimpleQueue,
  QUEUE_KINDS,
  simpleQueueRecord,
} from '@spanhouse/evaluation'
import { list, optional, storedObject, uuid, windowing, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { manyRead, one } from '../../http/answer/envelopes.ts'
import { requireSameId } from '../../http/ids.ts'
import { addEvaluationEndpoint, type EvaluationRoutes, manyOf, oneOf, permissionsOf } from './endpoint.ts'
import { orRejected } from './simple-evaluations.ts'
import { worklist, worklistBody } from './worklist.ts'

const tag = 'simple queues'
const path = '/simple/queues'
const { view, edit } = permissionsOf('queues')
const params = z.object({ queue_id: uuid })
const answer = oneOf('queue')

const filter = z
  .object({
    kind: optional(z.enum(QUEUE_KINDS)),
    user_id: optional(uuid),
    user_ids: optional(list(uuid)),
    run_id: optional(uuid),
    run_ids: optional(list(uuid)),
    queue_ids: optional(list(uuid)),
    name: optional(z.string()),
    description: optional(z.string()),
    tags: optional(storedObject),
    meta: optional(storedObject),
  })
  .transform(({ queue_ids, kind, ...rest }) => ({ kind, filter: { ...rest, ids: queue_ids } }))

/** Queues with the runs below them: what people annotate, in one call. */
export function addSimpleQueueRoutes(routes: EvaluationRoutes): void {
  addRecords(routes)
  addDeletes(routes)
  addSourceRoutes(routes)
}

function addRecords(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path,
    tag,
    permission: edit,
    share: 'heavy',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    answer,
    summary: 'Creates a queue with a run of human evaluators, and starts it.',
    body: z.object({ queue: newSimpleQueue }),
    handle: ({ scope, body }) =>
      orRejected(async () => one('queue', simpleQueueRecord(await createSimpleQueue(scope, body.queue)))),
  })
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: `${path}/query`,
    tag,
    permission: view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    answer: manyOf('queues'),
    summary: 'Lists queues, newest first.',
    body: z.object({ queue: optional(filter), windowing: optional(windowing) }),
    handle: async ({ scope, body, holder }) => {
      const found = await listSimpleQueues(scope, { ...body.queue, windowing: body.windowing })
      return manyRead('queues', found, { holder, record: simpleQueueRecord })
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: `${path}/:queue_id`,
    tag,
    permission: view,
    params,
    answer,
    summary: 'Fetches a queue.',
    handle: async ({ scope, params }) => {
      const found = await findSimpleQueue(scope, params.queue_id)
      return one('queue', found && simpleQueueRecord(found))
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: `${path}/:queue_id/scenarios/query`,
    tag,
    permission: view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    params,
    answer: manyOf('scenarios'),
    summary: 'Lists the scenarios that are assigned to any of the users, in the order of their assignment.',
    body: worklistBody,
    handle: async ({ scope, params, body, holder }) => {
      requireSameId('queue', params.queue_id, body.queue?.id)
      const found = await findSimpleQueue(scope, params.queue_id)
      const { user_id, user_ids = [] } = body.queue ?? {}
      const users = user_id === undefined ? user_ids : [user_id, ...user_ids]
      return worklist(scope, found?.queue, { ...body, users, isSubset: false, holder })
    },
  })
}

function addDeletes(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'DELETE',
    path: `${path}/:queue_id`,
    tag,
    permission: edit,
    params,
    answer: z.object({ count: z.int(), queue_id: z.string().optional() }),
    summary: 'Deletes a queue, a default one with its run.',
    handle: async ({ scope, params }) => {
      const [queue_id] = await deleteSimpleQueues(scope, [params.queue_id])
      return queue_id ? { count: 1, queue_id } : { count: 0 }
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'DELETE',
    path,
    tag,
    permission: edit,
    body: z.object({ queue_ids: list(uuid) }),
    answer: z.object({ count: z.int(), queue_ids: z.array(z.string()) }),
    summary: 'Deletes queues, default ones with their runs.',
    handle: async ({ scope, body }) => {
      const queue_ids = await deleteSimpleQueues(scope, body.queue_ids)
      return { count: queue_ids.length, queue_ids }
    },
  })
}

/** Ids are strings here, because a queue with its own source rejects even malformed ones. */
function addSourceRoutes(routes: EvaluationRoutes): void {
  for (const [kind, ids] of [
    ['traces', 'trace_ids'],
    ['testcases', 'testcase_ids'],
  ] as const)
    addEvaluationEndpoint(routes, {
      method: 'POST',
      path: `${path}/:queue_id/${kind}`,
      tag,
      permission: edit,
      share: 'heavy',
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      params,
      answer: z.object({ count: z.int(), queue_id: z.string().optional() }),
      summary: `Adds ${kind} to a queue of this kind; existing ones are not added again.`,
      body: z.object({ [ids]: list(z.string()) }),
      handle: async ({ scope, params, body }) => {
        const queue_id = await addSources(scope, params.queue_id, { kind, ids: body[ids] as string[] })
        return queue_id ? { count: 1, queue_id } : { count: 0 }
      },
    })
}
