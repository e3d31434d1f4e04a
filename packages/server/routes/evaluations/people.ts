import {
  findAgreement,
  findQueueProgress,
  findRow,
  findRows,
  type QueueRow,
  type RunRow,
  type Scope,
} from '@spanhouse/evaluation'
import { Problem, type Uuid } from '@spanhouse/model'
import { list, uuid, z } from '@spanhouse/validation'
import { addEvaluationEndpoint, type EvaluationRoutes, permissionsOf } from './endpoint.ts'

const tag = 'evaluations'

const share = z.object({
  repeat_idx: z.int(),
  user_id: z.string().optional(),
  scenarios: z.int(),
  done: z.int(),
})

const agreement = z.object({
  type: z.string(),
  level: z.enum(['nominal', 'interval']),
  scenarios: z.int(),
  ratings: z.int(),
  krippendorff_alpha: z.number().optional(),
  cohen_kappa: z.number().optional(),
  fleiss_kappa: z.number().optional(),
})

const progress = z.object({
  queue_id: z.string(),
  run_id: z.string(),
  scenarios: z.int(),
  done: z.int(),
  assignees: z.array(share),
})

/** Queues whose progress one request asks for. */
const QUEUES_MAX = 20

/** The queues with these ids, in order, and their runs; those that do not exist are left out. */
async function findQueues(scope: Scope, ids: readonly Uuid[]): Promise<{ queue: QueueRow; run: RunRow }[]> {
  const queues = await findRows(scope, 'queues', ids)
  const runs = await findRows(scope, 'runs', [...new Set(queues.map(({ run_id }) => run_id))])
  const byId = new Map(runs.map(run => [run.id, run]))
  return queues.flatMap(queue => {
    const run = byId.get(queue.run_id)
    return run ? { queue, run } : []
  })
}

/** The progress of queues by assignee, and the agreement between the annotators of a run. */
export function addPeopleRoutes(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/queues/:queue_id/progress',
    tag,
    permission: permissionsOf('queues').view,
    share: 'heavy',
    params: z.object({ queue_id: uuid }),
    summary: 'Counts the scenarios of a queue, and those that are done, for each repeat and assignee.',
    answer: z.object({ count: z.int(), progress: progress.optional() }),
    handle: async ({ scope, params }) => {
      const [found] = await findQueueProgress(scope, await findQueues(scope, [params.queue_id]))
      return found ? { count: 1, progress: found } : { count: 0 }
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: '/evaluations/queues/progress/query',
    tag,
    permission: permissionsOf('queues').view,
    share: 'heavy',
    summary: `Counts the scenarios of up to ${QUEUES_MAX} queues, each as for a single one; queues that do not exist are left out.`,
    body: z.object({ queue_ids: list(uuid, { max: QUEUES_MAX }) }),
    answer: z.object({ count: z.int(), progress: z.array(progress) }),
    handle: async ({ scope, body }) => {
      const found = await findQueueProgress(scope, await findQueues(scope, [...new Set(body.queue_ids)]))
      return { count: found.length, progress: found }
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/runs/:run_id/agreement',
    tag,
    permission: permissionsOf('results').view,
    share: 'read',
    params: z.object({ run_id: uuid }),
    summary: 'Computes the agreement of annotations between the repeats of a run, by human step and output.',
    answer: z.object({
      count: z.int(),
      agreement: z
        .object({ run_id: z.string(), steps: z.record(z.string(), z.record(z.string(), agreement)) })
        .optional(),
    }),
    handle: async ({ scope, params }) => {
      const { run_id } = params
      const run = await findRow(scope, 'runs', run_id)
      if (!run) return { count: 0 }
      const { engine } = routes.evaluations
      if (!engine) throw new Problem('unsupported', 'This process does not read spans.')
      return { count: 1, agreement: { run_id, steps: await findAgreement(scope, engine, run) } }
    },
  })
}
