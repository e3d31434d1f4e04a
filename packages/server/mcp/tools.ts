import { FACETS, FIELDS, GROUP_ORDERS, GROUPED_BY, PARTS, ROW_ORDERS } from '@spanhouse/query'
import { z } from '@spanhouse/validation'
import { renderAnnotations, renderParts, renderRevisions, renderTree } from './render.ts'

/** A request of the interface. */
export interface ApiRequest {
  method: 'GET' | 'POST'
  /** Below `/api`. */
  path: string
  query?: Record<string, number | string | undefined>
  body?: object
}

/** A tool: what a model is told about it, and the request of the interface that a call of it is. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** The request for arguments that match `input`. */
  request(input: Record<string, unknown>): ApiRequest
  /** The text for the body of a successful response. Default: its JSON. */
  render?(body: unknown): string
}

/** Infers the type of the arguments from the schema. */
const tool = <Input extends z.ZodObject>(
  row: Omit<Tool, 'input' | 'request'> & { input: Input; request(input: z.output<Input>): ApiRequest },
): Tool => row as unknown as Tool

const EXAMPLE =
  '{"operator":"and","conditions":[{"field":"status_code","operator":"is","value":"STATUS_CODE_ERROR"},' +
  '{"field":"attributes","key":"ag.metrics.tokens.cumulative.total","operator":"gt","value":5000}]}'

const FOCUS = z
  .enum(['trace', 'span'])
  .optional()
  .describe('Whether each row is a whole trace, shown by its root with the totals of the trace (default), or a span.')

/** Which traces or spans. */
const SELECTED = {
  focus: FOCUS,
  filter: z
    .looseObject({ operator: z.string().optional(), conditions: z.array(z.looseObject({})) })
    .optional()
    .describe(
      `Conditions on the spans, such as ${EXAMPLE}. Fields: ${[...FIELDS.keys()].join(', ')}; of \`attributes\` the ` +
        '`key` is a path. An error names the operators that a field has.',
    ),
  oldest: z.string().optional().describe('Only what began at this time or later (ISO 8601).'),
  newest: z.string().optional().describe('Only what began before this time (ISO 8601).'),
}

const bodyOf = (
  { focus, filter, oldest, newest }: z.output<z.ZodObject<typeof SELECTED>>,
  limit?: number,
): Record<string, unknown> => ({ focus: focus ?? 'trace', filtering: filter, windowing: { oldest, newest, limit } })

/** How many entries; the first is the default. */
const limit = (usual: number, max: number) =>
  z.int().min(1).max(max).optional().describe(`How many at most; ${usual} by default.`)

const next = z.string().optional().describe('For the next page: the id of the last entry of the previous one.')

const TRACE_ID = z.string().describe('32 hexadecimal digits.')

/** Kinds of artifacts, with what their paths are called. */
const KINDS = {
  application: 'applications',
  evaluator: 'evaluators',
  testset: 'testsets',
  query: 'queries',
  environment: 'environments',
} as const

const KIND = z.enum(Object.keys(KINDS) as (keyof typeof KINDS)[])

const ID = z.uuid().optional()
const RUN_ID = z.uuid().describe('The id of the evaluation.')

/** The tools, all of which only read. A new one is a new row. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'find_traces',
    title: 'Find traces or spans',
    description:
      'Lists traces or spans, newest first, with status, duration in ms, tokens, costs in USD and a preview of inputs and outputs. Use get_trace for the spans of one, get_span for whole texts.',
    input: z.object({
      ...SELECTED,
      order_by: z.enum(ROW_ORDERS).optional().describe('The highest first.'),
      limit: limit(20, 100),
      after: z.string().optional().describe('`after` of the previous page, in any order other than time.'),
      next: z.string().optional().describe('`windowing.next` of the previous page, in the order of time.'),
    }),
    request: ({ order_by, limit = 20, after, next, ...selected }) => {
      const { windowing, ...body } = bodyOf(selected, limit)
      return {
        method: 'POST',
        path: '/spans/rows',
        body: { ...body, windowing: { ...(windowing as object), next }, order_by, after },
      }
    },
  }),
  tool({
    name: 'aggregate_traces',
    title: 'Add up traces or spans',
    description:
      'Counts traces or spans and adds up errors, tokens and costs, with p50 and p95 of their durations in ms: in groups by a field or an attribute, over time, or in all.',
    input: z.object({
      ...SELECTED,
      by: z
        .string()
        .optional()
        .describe(`One of ${GROUPED_BY.join(', ')}, or the path of an attribute. Omitted: one group.`),
      buckets: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe('Into how many parts the time is divided; needs `oldest` and `newest`, and not `by`.'),
      amounts: z
        .enum(['total', 'own'])
        .optional()
        .describe(
          '`total` (default): each row with everything below it. `own`: each span its own usage, so that nothing counts twice.',
        ),
      order_by: z.enum(GROUP_ORDERS).optional().describe('The highest first.'),
      limit: limit(50, 200),
    }),
    request: ({ by, buckets, amounts, order_by, limit = 50, ...selected }) => ({
      method: 'POST',
      path: '/spans/groups',
      body: { ...bodyOf(selected), by, buckets, amounts, order_by, values: limit },
    }),
  }),
  tool({
    name: 'list_values',
    title: 'List the values of fields',
    description: 'Lists the most frequent values of fields among the newest matching traces or spans, to filter by.',
    input: z.object({ ...SELECTED, fields: z.array(z.enum(FACETS)).optional(), limit: limit(20, 50) }),
    request: ({ fields, limit = 20, ...selected }) => ({
      method: 'POST',
      path: '/spans/facets',
      body: { ...bodyOf(selected), facets: fields, values: limit },
    }),
  }),
  tool({
    name: 'get_trace',
    title: 'Get the tree of a trace',
    description:
      'Shows the spans of a trace as an indented tree: name, type, duration, total tokens and costs, errors, span id. Use get_span for what a span says.',
    input: z.object({
      trace_id: TRACE_ID,
      offset: z.int().min(0).optional().describe('Spans to skip, in the order of their start.'),
      limit: limit(200, 1_000),
    }),
    request: ({ trace_id, offset = 0, limit = 200 }) => ({
      method: 'GET',
      path: `/traces/${encodeURIComponent(trace_id)}/skeleton`,
      query: { offset, limit },
    }),
    render: renderTree,
  }),
  tool({
    name: 'get_span',
    title: 'Get what a span contains',
    description: 'Returns inputs, outputs, attributes, exceptions and other parts of a span, long ones in ranges.',
    input: z.object({
      trace_id: TRACE_ID,
      span_id: z.string().describe('16 hexadecimal digits.'),
      part: z.enum(PARTS).optional().describe('Only this one.'),
      offset: z.int().min(0).optional().describe('Characters to skip.'),
      length: z.int().min(1).max(50_000).optional().describe('Characters of each part; 10,000 by default.'),
    }),
    request: ({ trace_id, span_id, part, offset = 0, length = 10_000 }) => ({
      method: 'GET',
      path: `/spans/${encodeURIComponent(trace_id)}/${encodeURIComponent(span_id)}/parts`,
      query: { part, offset, length },
    }),
    render: renderParts,
  }),
  tool({
    name: 'list_annotations',
    title: 'List the annotations of a trace',
    description:
      'Lists what people and evaluators have said about a trace or its spans, newest first: scores, labels, comments.',
    input: z.object({ trace_id: TRACE_ID, limit: limit(50, 200) }),
    request: ({ trace_id, limit = 50 }) => ({
      method: 'POST',
      path: '/spans/query',
      body: {
        filtering: {
          conditions: [
            { field: 'links', operator: 'in', value: [{ trace_id }] },
            { field: 'trace_type', operator: 'is', value: 'annotation' },
            { field: 'parent_id', operator: 'is', value: null },
          ],
        },
        windowing: { limit },
      },
    }),
    render: renderAnnotations,
  }),
  tool({
    name: 'list_artifacts',
    title: 'List applications, evaluators, testsets, queries or environments',
    description: 'Lists artifacts of one kind, newest first, without their data. Use get_revision for that.',
    input: z.object({
      kind: KIND,
      name: z.string().optional().describe('A part of the name.'),
      limit: limit(50, 200),
      next,
    }),
    request: ({ kind, name, limit = 50, next }) => ({
      method: 'POST',
      path: `/${KINDS[kind]}/query`,
      body: { [kind]: { name }, windowing: { limit, next } },
    }),
  }),
  tool({
    name: 'list_revisions',
    title: 'List the revisions of an artifact',
    description: 'Lists the history of an artifact, newest first, without data: versions, messages, authors, times.',
    input: z.object({ kind: KIND, id: z.uuid().describe('Of the artifact.'), limit: limit(50, 200) }),
    request: ({ kind, id, limit = 50 }) => ({
      method: 'POST',
      path: `/${KINDS[kind]}/revisions/log`,
      body: { [kind]: { artifact_id: id, depth: limit }, include_data: false },
    }),
    render: renderRevisions,
  }),
  tool({
    name: 'get_revision',
    title: 'Get a revision of an artifact',
    description:
      'Returns a revision with its data (prompts, parameters, schemas, filters, deployments): the newest one of an artifact or a variant, a certain version, or the one that is deployed to an environment.',
    input: z.object({
      kind: KIND,
      slug: z.string().optional().describe('Of the artifact.'),
      id: ID.describe('Of the artifact.'),
      variant_slug: z.string().optional(),
      version: z.string().optional().describe('Of the revision.'),
      revision_id: ID,
      environment: z.string().optional().describe('The slug of an environment; applications and evaluators only.'),
    }),
    request: ({ kind, slug, id, variant_slug, version, revision_id, environment }) => ({
      method: 'POST',
      path: `/${KINDS[kind]}/revisions/retrieve`,
      body: {
        ...(environment !== undefined && { environment_ref: { slug: environment } }),
        [`${kind}_ref`]: reference({ slug, id }),
        [`${kind}_variant_ref`]: reference({ slug: variant_slug }),
        [`${kind}_revision_ref`]: reference({ version, id: revision_id }),
        ...(kind === 'testset' && { include_testcases: false, include_testcase_ids: false }),
      },
    }),
    render: renderRevisions,
  }),
  tool({
    name: 'list_testcases',
    title: 'List the cases of a testset',
    description: 'Lists the testcases of the newest revision of a testset, or of a certain revision.',
    input: z.object({ slug: z.string().optional(), id: ID, revision_id: ID, limit: limit(20, 200), next }),
    request: ({ slug, id, revision_id, limit = 20, next }) => ({
      method: 'POST',
      path: '/testcases/query',
      body: {
        testset_ref: reference({ slug, id }),
        testset_revision_ref: reference({ id: revision_id }),
        windowing: { limit, next },
      },
    }),
  }),
  tool({
    name: 'list_evaluations',
    title: 'List evaluations',
    description: 'Lists evaluations, newest first: name, status, and what they evaluate with which evaluators.',
    input: z.object({
      name: z.string().optional().describe('A part of the name.'),
      status: z.string().optional().describe('Such as running, success, errors, failure, cancelled.'),
      limit: limit(20, 100),
      next,
    }),
    request: ({ name, status, limit = 20, next }) => ({
      method: 'POST',
      path: '/simple/evaluations/query',
      body: { evaluation: { name, status }, windowing: { limit, next } },
    }),
  }),
  tool({
    name: 'get_evaluation_scores',
    title: 'Get the scores of an evaluation',
    description:
      'Summarises an evaluation: mean, interval and distribution of each score, costs, durations, and reasons of failures. Names the step keys and paths of scores that list_evaluation_cases takes.',
    input: z.object({ evaluation_id: RUN_ID }),
    request: ({ evaluation_id }) => ({ method: 'GET', path: `/evaluations/runs/${evaluation_id}/scores` }),
  }),
  tool({
    name: 'list_evaluation_cases',
    title: 'List the cases of an evaluation',
    description:
      'Lists the cases of an evaluation with inputs, outputs and scores, for instance the worst first, or those that failed.',
    input: z.object({
      evaluation_id: RUN_ID,
      status: z.string().optional().describe('Such as success, errors, failure.'),
      order_by: z
        .object({ step_key: z.string(), path: z.string(), is_descending: z.boolean().optional() })
        .optional()
        .describe('A score; the lowest first unless `is_descending`.'),
      offset: z.int().min(0).optional(),
      limit: limit(10, 50),
    }),
    request: ({ evaluation_id, limit = 10, ...cases }) => ({
      method: 'POST',
      path: `/evaluations/runs/${evaluation_id}/cases`,
      body: { cases: { ...cases, limit } },
    }),
  }),
  tool({
    name: 'compare_evaluations',
    title: 'Compare evaluations',
    description:
      'Compares up to four evaluations with a baseline, case by case: which differences of scores are real and which may be chance, and the cases that got worse most.',
    input: z.object({
      baseline_id: RUN_ID,
      evaluation_ids: z.array(z.uuid()).min(1).max(4),
      limit: limit(10, 50).describe('Cases to show; 10 by default.'),
    }),
    request: ({ baseline_id, evaluation_ids, limit = 10 }) => ({
      method: 'POST',
      path: '/evaluations/runs/compare',
      body: { comparison: { baseline_run_id: baseline_id, run_ids: evaluation_ids, cases: { limit } } },
    }),
  }),
]

/** Undefined if no member has a value: the interface would take an empty reference for a mistake. */
const reference = (members: Record<string, string | undefined>): object | undefined =>
  Object.values(members).some(value => value !== undefined) ? members : undefined
