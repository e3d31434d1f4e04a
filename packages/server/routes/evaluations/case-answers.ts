import { json, jsonObject, z } from '@spanhouse/validation'

/*
 * The responses behind the table of an evaluation run. The web application takes its types from here.
 */

const score = { step_key: z.string(), path: z.string() }

const scoreSummary = z.object({
  ...score,
  type: z
    .string()
    .meta({ description: 'As in metrics: numeric/continuous, numeric/discrete, binary or categorical/single.' }),
  count: z.int(),
  mean: z
    .number()
    .optional()
    .meta({ description: 'Of numbers, and the share of true. Repeats of a case are one value: their mean.' }),
  interval: z
    .array(z.number())
    .optional()
    .meta({
      description:
        "The 95 % interval of the mean: exact for true and false, otherwise by Student's distribution. Repeats of a case " +
        'are one value: their mean.',
    }),
  bins: z
    .array(
      z.object({
        value: z.union([z.number(), z.boolean(), z.string()]).optional(),
        from: z.number().optional(),
        to: z.number().optional(),
        count: z.int(),
      }),
    )
    .meta({ description: 'Single values, or intervals: each includes its start, the last one its end, too.' }),
})

export const runScores = z.object({
  run_id: z.string(),
  costs: z.number().meta({ description: 'USD, of the traces of all cells that are stored.' }),
  scores: z.array(scoreSummary),
  failures: z.array(
    z.object({
      step_key: z.string(),
      reason: z.string().meta({ description: 'The message of the error; numbers and ids in it are #.' }),
      scenarios: z.int(),
    }),
  ),
})

const caseCell = z.object({
  step_key: z.string(),
  repeat_idx: z.int(),
  status: z.string(),
  error: jsonObject.optional(),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
  duration: z.number().optional().meta({ description: 'Milliseconds.' }),
  costs: z.number().optional().meta({ description: 'USD.' }),
  inputs: json.optional().meta({ description: 'The value, or with `inputs_cut` the beginning of its text.' }),
  inputs_cut: z.boolean().optional(),
  outputs: json.optional(),
  outputs_cut: z.boolean().optional(),
  scores: z
    .record(z.string(), z.union([z.number(), z.boolean(), z.string()]))
    .optional()
    .meta({ description: 'The single values in the outputs of an evaluator; those of objects as name.member.' }),
})

export const runCase = z.object({
  scenario_id: z.string(),
  status: z.string(),
  testcase_id: z.string().optional(),
  cells: z.array(caseCell),
})

export type ScoreSummary = z.output<typeof scoreSummary>
export type RunScores = z.output<typeof runScores>
export type CaseCell = z.output<typeof caseCell>
export type RunCase = z.output<typeof runCase>
