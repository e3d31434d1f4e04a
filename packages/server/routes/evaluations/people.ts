import { findAgreement, findQueueProgress, findRow } from '@spanhouse/evaluation'
import { Problem } from '@spanhouse/model'
import { uuid, z } from '@spanhouse/validation'
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

/** The progress of a queue by assignee, and the agreement between the annotators of a run. */
export function addPeopleRoutes(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/queues/:queue_id/progress',
    tag,
    permission: permissionsOf('queues').view,
    share: 'heavy',
    params: z.object({ queue_id: uuid }),
    summary: 'Counts the scenarios of a queue, and those that are done, for each repeat and assignee.',
    answer: z.object({
      count: z.int(),
      progress: z
        .object({
          queue_id: z.string(),
          run_id: z.string(),
          scenarios: z.int(),
          done: z.int(),
          assignees: z.array(share),
        })
        .optional(),
    }),
    handle: async ({ scope, params }) => {
      const queue = await findRow(scope, 'queues', params.queue_id)
      const run = queue && (await findRow(scope, 'runs', queue.run_id))
      return run ? { count: 1, progress: await findQueueProgress(scope, queue, run) } : { count: 0 }
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
