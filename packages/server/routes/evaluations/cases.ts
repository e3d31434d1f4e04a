import {
  findRow,
  RUN_CASES_MAX,
  readRunCases,
  runCases,
  SHOWN_REPEATS_MAX,
  summariseScores,
} from '@spanhouse/evaluation'
import type { Engine } from '@spanhouse/span-store'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { runCase, runScores } from './case-answers.ts'
import { addEvaluationEndpoint, type Evaluations, permissionsOf } from './endpoint.ts'

const common = {
  tag: 'evaluations',
  permission: permissionsOf('results').view,
  share: 'heavy',
  params: z.object({ run_id: uuid }),
} as const

/** The table of a run and its scores, which need ClickHouse. */
export function runCaseRoutes({
  engine,
  ...evaluations
}: Evaluations & { engine: Engine }): (app: FastifyInstance) => void {
  return app => {
    const routes = { app, evaluations }
    addEvaluationEndpoint(routes, {
      ...common,
      method: 'GET',
      path: '/evaluations/runs/:run_id/scores',
      summary:
        'Summarises the scores of a run so far: mean, interval and distribution of each, costs, and reasons of failures.',
      answer: z.object({ count: z.int(), run_scores: runScores.optional() }),
      handle: async ({ scope, params }) => {
        const run = await findRow(scope, 'runs', params.run_id)
        return run ? { count: 1, run_scores: await summariseScores(scope, engine, run) } : { count: 0 }
      },
    })
    addEvaluationEndpoint(routes, {
      ...common,
      method: 'POST',
      path: '/evaluations/runs/:run_id/cases',
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      summary: `Lists the scenarios of a run with what their cells contain, at most ${RUN_CASES_MAX} at once, by score, status or failure. Cells of the first ${SHOWN_REPEATS_MAX} repeats are shown.`,
      body: z.object({ cases: runCases }),
      answer: z.object({
        count: z.int(),
        total: z.int().meta({ description: 'How many there are in all; 0 beyond the last page.' }),
        newer: z.optional(z.int()).meta({ description: 'How many more were added after `until`, if it was given.' }),
        cases: z.array(runCase),
      }),
      handle: async ({ scope, params, body }) => {
        const run = await findRow(scope, 'runs', params.run_id)
        if (!run) return { count: 0, total: 0, cases: [] }
        const page = await readRunCases(scope, engine, { run, query: body.cases })
        return { count: page.cases.length, ...page }
      },
    })
  }
}
