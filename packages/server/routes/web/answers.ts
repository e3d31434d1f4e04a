import { z } from '@spanhouse/validation'

export type { StandardProvider } from '@spanhouse/access'

/*
 * The responses of the endpoints that a page of traces needs. The page takes its types from here.
 */

const amount = z.optional(z.number())

/** The members of a row that are read from its content. */
const said = {
  inputs: z.optional(z.string()).meta({ description: 'The newest message, or the beginning of the text.' }),
  outputs: z.optional(z.string()),
  attributes: z
    .optional(z.record(z.string(), z.string()))
    .meta({ description: 'The requested attributes, by path; a value that is not a string as JSON.' }),
}

/** A span, or a trace by its root, as a list shows it. Members without a value are omitted. */
const row = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_id: z.optional(z.string()),
  span_name: z.string(),
  span_type: z.string(),
  trace_type: z.string(),
  status_code: z.string(),
  status_message: z.optional(z.string()),
  start_time: z.string(),
  duration: z.number().meta({ description: 'Milliseconds.' }),
  errors: amount.meta({ description: 'Exceptions of the span and everything below it, as the other totals.' }),
  tokens: amount,
  costs: amount.meta({ description: 'USD.' }),
  session_id: z.optional(z.string()),
  user_id: z.optional(z.string()),
  ...said,
})

export const rowPage = z.object({
  count: z.int(),
  rows: z.array(row),
  windowing: z.optional(z.looseObject({})).meta({ description: 'Send it to get the next page in order of time.' }),
  after: z.optional(z.string()).meta({ description: 'Send it to get the next page in any other order.' }),
})

export const previewList = z.object({
  count: z.int(),
  previews: z.array(z.object({ trace_id: z.string(), span_id: z.string(), ...said })),
})

export const rowCount = z.object({
  count: z.int(),
  errors: z
    .int()
    .meta({ description: 'How many of them have the status error, or an exception in them or below them.' }),
  buckets: z
    .optional(
      z.array(
        z.object({
          start: z.int().meta({ description: 'Unix time in milliseconds.' }),
          count: z.int(),
          errors: z.int(),
        }),
      ),
    )
    .meta({ description: 'The parts of the window that have any rows, if requested.' }),
  bucket_ms: z.optional(z.number()),
})

export const facetCounts = z.object({
  count: z.int(),
  facets: z.array(z.object({ field: z.string(), values: z.array(z.object({ value: z.string(), count: z.int() })) })),
  rows_max: z.int().meta({ description: 'How many of the newest rows were counted.' }),
})

/** Rows that have something in common, and what they add up to. Members without a value are omitted. */
export const rowGroups = z.object({
  count: z.int(),
  groups: z.array(
    z.object({
      value: z.optional(z.string()).meta({ description: 'The value that the rows share; omitted if they have none.' }),
      start: z
        .optional(z.int())
        .meta({ description: 'The start of a part of the window, as Unix time in milliseconds.' }),
      count: z.int(),
      errors: amount.meta({
        description: 'How many of the rows have the status error, or an exception in them or below them.',
      }),
      tokens: amount,
      costs: amount.meta({ description: 'USD.' }),
      p50: amount.meta({ description: 'Of the durations of the rows, in milliseconds.' }),
      p95: amount,
      first: z.optional(z.string()).meta({ description: 'When the first row began.' }),
      last: z.optional(z.string()).meta({ description: 'When the last row began.' }),
      ended: z.optional(z.string()).meta({ description: 'When the last row to end ended.' }),
    }),
  ),
  bucket_ms: z.optional(z.number()),
})

const numbers = z.array(z.number())
const texts = z.array(z.string())

/** A window of a trace, one list for each property, in the order of start. Zero and an empty text: none. */
export const skeleton = z.object({
  count: z.int(),
  total: z.int().meta({ description: 'Spans of the whole trace.' }),
  offset: z.int(),
  began_at: z.optional(z.string()).meta({ description: 'What `start` counts from.' }),
  names: texts.meta({
    description: 'The distinct names and types; `span_name` and `span_type` are indexes into them.',
  }),
  spans: z.object({
    span_id: texts,
    parent_id: texts,
    span_name: numbers,
    span_type: numbers,
    start: numbers.meta({ description: 'Microseconds since `began_at`.' }),
    duration: numbers.meta({ description: 'Milliseconds.' }),
    is_error: numbers,
    errors: numbers,
    own_tokens: numbers,
    tokens: numbers,
    own_costs: numbers,
    costs: numbers,
  }),
  session_id: z.optional(z.string()),
  user_id: z.optional(z.string()),
})

/** Ranges of the long texts of a span. */
export const parts = z.object({
  count: z.int(),
  status_message: z.optional(z.string()),
  parts: z.array(
    z.object({
      part: z.string(),
      characters: z.int().meta({ description: 'Of the whole text, as Unicode code points.' }),
      offset: z.int(),
      text: z.string().meta({ description: 'A range of the JSON text.' }),
      next: z.optional(z.int()).meta({ description: 'The offset of the next range.' }),
      is_unsupported: z
        .optional(z.boolean())
        .meta({ description: 'It did not fit the schema and comes from `ag.unsupported.data`.' }),
    }),
  ),
})

export type Row = z.output<typeof row>
export type RowPage = z.output<typeof rowPage>
export type PreviewList = z.output<typeof previewList>
export type RowCount = z.output<typeof rowCount>
export type FacetCounts = z.output<typeof facetCounts>
export type RowGroups = z.output<typeof rowGroups>
export type Skeleton = z.output<typeof skeleton>
export type Parts = z.output<typeof parts>
