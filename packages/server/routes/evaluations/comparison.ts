import { compareRuns, comparison } from '@spanhouse/evaluation'
import type { Engine } from '@spanhouse/span-store'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEvaluationEndpoint, type Evaluations, permissionsOf } from './endpoint.ts'

const score = { step_key: z.string(), path: z.string() }

const statistics = z.object({
  ...score,
  better: z
    .enum(['higher', 'lower'])
    .meta({ description: 'Which values are better: higher for scores, lower for amounts.' }),
  n: z.int().meta({ description: 'Cases with a value in both runs.' }),
  baseline_mean: z.number().optional(),
  mean: z.number().optional(),
  difference: z.number().optional().meta({ description: 'The mean of this run minus the baseline, case by case.' }),
  interval: z.array(z.number()).optional().meta({
    description:
      'The 95 % interval of the difference: exact for pass and fail, otherwise a bootstrap with a fixed seed.',
  }),
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  test: z.enum(['sign', 'permutation']).meta({
    description: 'sign: the exact sign test (McNemar) of pass and fail. permutation: of signs of the differences.',
  }),
  p_value: z.number(),
  p_adjusted: z.number().meta({ description: "Holm's correction of p_value for all scores and runs of the response." }),
  verdict: z.string().optional().meta({ description: 'A sentence; present only if p_adjusted is below 0.05.' }),
  cases_needed: z.int().optional().meta({
    description: 'How many more cases would show a difference of this size four times in five; absent with a verdict.',
  }),
})

const side = z.object({ scenario_id: z.string(), trace_id: z.string().optional() })

const comparedCase = z.object({
  testcase_id: z.string().optional(),
  source_trace_id: z.string().optional(),
  repeat_idx: z.int(),
  run_id: z.string(),
  baseline: side,
  candidate: side,
  scores: z.array(
    z.object({
      ...score,
      baseline: z.number().optional(),
      baseline_trace_id: z.string().optional(),
      candidate: z.number().optional(),
      candidate_trace_id: z.string().optional(),
      difference: z.number().optional(),
    }),
  ),
})

const answer = z.object({
  count: z.int(),
  comparison: z.object({
    baseline_run_id: z.string(),
    runs: z.array(z.object({ run_id: z.string(), matched: z.int(), scores: z.array(statistics) })),
    cases: z.array(comparedCase),
  }),
})

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
        answer,
        handle: async ({ scope, body }) => ({
          count: 1,
          comparison: await compareRuns(scope, engine, body.comparison),
        }),
      },
    )
}
