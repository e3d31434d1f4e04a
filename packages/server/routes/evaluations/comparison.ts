import { compareRuns, comparison } from '@spanhouse/evaluation'
import type { Engine } from '@spanhouse/span-store'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { comparisonAnswer } from './comparison-answer.ts'
import { addEvaluationEndpoint, type Evaluations, permissionsOf } from './endpoint.ts'

/** The comparison of runs, which needs ClickHouse. */
export function comparisonRoutes({
  engine,
  ...evaluations
}: Evaluations & { engine: Engine }): (app: FastifyInstance) => void {
  return app =>
    addEvaluationEndpoint(
      { app, evaluations },
      {
        method: 'POST',
        path: '/evaluations/runs/compare',
        tag: 'evaluations',
        permission: permissionsOf('runs').view,
        share: 'heavy',
        bodyBytesMax: QUERY_BODY_BYTES_MAX,
        summary:
          'Compares up to four runs with a baseline, case by case: which differences are real, and the cases that got worse most.',
        body: z.object({ comparison }),
        answer: comparisonAnswer,
        handle: async ({ scope, body }) => ({
          count: 1,
          comparison: await compareRuns(scope, engine, body.comparison),
        }),
      },
    )
}
