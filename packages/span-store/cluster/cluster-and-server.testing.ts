import type { Span } from '@spanhouse/model'
import { SpanBatch } from '../bytes/span-batch.ts'
import { makeSpan, type OpenTestCluster, openTestCluster } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'

/** The id of the trace with a number. */
export const traceId = (trace: number): string => (trace * 65_537).toString(16).padStart(32, '0')

/** What a test stores: traces 1 to `traces`, each with a root, span 1, and `spansPerTrace - 1` children of it. */
export interface TestSpans {
  project_id: string
  traces: number
  spansPerTrace: number
  /** A span's fields besides its ids and its parent. */
  spanOf(trace: number, span: number): Partial<Span>
  /** The index of a trace's shard. */
  shardOf(trace: number): 0 | 1
}

/**
 * Opens a cluster of two shards and a single server, with the same spans on both. `isLogged` as of
 * {@link openTestCluster}.
 */
export async function openClusterAndServer(
  spans: TestSpans,
  { isLogged = false }: { isLogged?: boolean } = {},
): Promise<{ cluster: OpenTestCluster; single: OpenTestCluster; close(): Promise<void> }> {
  const cluster = await openTestCluster(2, { isLogged })
  const single = await openTestCluster(1)
  for (const [index, { own }] of cluster.shards.entries())
    await new SpanWriter(own).write(batchOf(spans, trace => spans.shardOf(trace) === index))
  for (const { own } of single.shards) await new SpanWriter(own).write(batchOf(spans, () => true))
  return {
    cluster,
    single,
    close: async () => {
      await cluster.close()
      await single.close()
    },
  }
}

const spanId = (span: number): string => span.toString(16).padStart(16, '0')

function batchOf(
  { project_id, traces, spansPerTrace, spanOf }: TestSpans,
  isIn: (trace: number) => boolean,
): SpanBatch {
  const batch = new SpanBatch()
  for (let trace = 1; trace <= traces; trace++) {
    if (!isIn(trace)) continue
    for (let span = 1; span <= spansPerTrace; span++) {
      const ids = { trace_id: traceId(trace), span_id: spanId(span), ...(span > 1 ? { parent_id: spanId(1) } : {}) }
      const made = makeSpan({ ...spanOf(trace, span), ...ids })
      batch.add({ project_id, user_id: project_id, accepted_at: made.start_time }, made)
    }
  }
  return batch
}
