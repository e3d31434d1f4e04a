import { newSpanId } from '../otlp.ts'

/* Runs that are evaluated elsewhere: their steps, testcases and traces, as a client sends them. */

/** `outputs` is the schema of the step's outputs. */
export const customStep = (key: string, type: string, outputs?: object): object => ({
  key,
  type,
  origin: 'custom',
  references: {},
  ...(outputs && { schemas: { outputs } }),
})

/** The id of the nth testcase. It need not exist. */
export const testcaseId = (n: number): string => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

const START = '2026-02-03T09:15:00.000Z'

/** A trace of one span, for `/traces/ingest`. */
export const rootTrace = (
  trace_id: string,
  data: object,
  { ms = 1, costs, hasFailed = false }: { ms?: number; costs?: number; hasFailed?: boolean } = {},
): { trace_id: string; spans: object } => ({
  trace_id,
  spans: {
    root: {
      trace_id,
      span_id: newSpanId(),
      span_name: 'root',
      start_time: START,
      end_time: new Date(Date.parse(START) + ms).toISOString(),
      attributes: { ag: { data, ...(costs && { metrics: { costs: { incremental: { total: costs } } } }) } },
      ...(hasFailed && { events: [{ name: 'exception', timestamp: START }] }),
    },
  },
})
