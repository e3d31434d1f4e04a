import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'

/** What a run is given. */
export interface Row {
  id: string
  inputs: JsonObject
  /** What an evaluator judges. */
  outputs?: Json
  /** The trace that it comes from. */
  trace?: JsonObject
}

/** A playground compares by looking; a whole testset is what evaluations are for. */
const ROWS_MAX = 25

interface TestsetRevision {
  testset_revision?: { data?: { testcases?: { id: string; data?: JsonObject }[] } }
}

/** The first testcases of the newest revision of a testset. */
export const testsetRowsQuery = (testset_id: string) =>
  queryOptions({
    queryKey: ['testset rows', testset_id],
    queryFn: async ({ signal }): Promise<Row[]> => {
      const body = { testset_ref: { id: testset_id }, windowing: { limit: ROWS_MAX } }
      const asked = { method: 'POST', body, signal, isExact: true } as const
      const answer = await api<TestsetRevision>('/testsets/revisions/retrieve', asked)
      return (answer.testset_revision?.data?.testcases ?? []).map(({ id, data = {} }) => {
        const { testcase_dedup_id: _, ...inputs } = data
        return { id, inputs, ...(inputs.outputs !== undefined && { outputs: inputs.outputs }) }
      })
    },
    structuralSharing: false,
  })

interface TraceAnswer {
  trace?: { trace_id: string; spans?: Record<string, SpanNode | SpanNode[]> }
}
interface SpanNode {
  attributes?: { ag?: { data?: { inputs?: Json; outputs?: Json } } }
}

/** A trace as the input of an evaluator: what its root was given and returned, and all of it. */
export const traceRowQuery = (trace_id: string) =>
  queryOptions({
    queryKey: ['trace row', trace_id],
    queryFn: async ({ signal }): Promise<Row | null> => {
      const asked = { signal, isExact: true } as const
      const { trace } = await api<TraceAnswer>(`/traces/${encodeURIComponent(trace_id)}`, asked)
      const root = Object.values(trace?.spans ?? {}).flat()[0]
      if (trace === undefined || root === undefined) return null
      const { inputs, outputs } = root.attributes?.ag?.data ?? {}
      return {
        id: trace_id,
        inputs: isObject(inputs) ? inputs : inputs === undefined ? {} : { inputs },
        ...(outputs !== undefined && { outputs }),
        trace: trace as unknown as JsonObject,
      }
    },
    structuralSharing: false,
  })
