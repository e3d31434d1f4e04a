import { z } from '@spanhouse/validation'

const score = { step_key: z.string(), path: z.string() }

const comparedScore = z.object({
  ...score,
  better: z
    .enum(['higher', 'lower'])
    .meta({ description: 'Which values are better: higher for scores, lower for amounts.' }),
  n: z.int().meta({
    description:
      'Cases with a value in both runs. Repeats of a case are one value: their mean; means that differ by the rounding of numbers alone are a tie.',
  }),
  baseline_mean: z.number().optional(),
  mean: z.number().optional(),
  difference: z.number().optional().meta({ description: 'The mean of this run minus the baseline, case by case.' }),
  interval: z.array(z.number()).optional().meta({
    description:
      'The 95 % interval of the difference: of paired shares for pass and fail, otherwise a bootstrap with a fixed seed.',
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

/** The response to a comparison of runs. The web application takes its types from here. */
export const comparisonAnswer = z.object({
  count: z.int(),
  comparison: z.object({
    baseline_run_id: z.string(),
    runs: z.array(
      z.object({
        run_id: z.string(),
        matched: z.int().meta({
          description: 'Testcases or source traces that both runs have traces of, whichever scores are compared.',
        }),
        scores: z.array(comparedScore),
      }),
    ),
    cases: z.array(comparedCase),
  }),
})

export type Comparison = z.output<typeof comparisonAnswer>['comparison']
export type ComparedScore = z.output<typeof comparedScore>
export type ComparedCase = z.output<typeof comparedCase>
