import { hashOfTraceId } from '@spanhouse/model'

/**
 * The partition of a trace, from 0 to `partitions` - 1, by a hash of its id. The remainder of the id itself would not
 * do: not every sender generates random ids. The function never changes, because two processes that disagree would give
 * one trace to two writers.
 */
export const partitionOf = (traceId: Uint8Array, partitions: number): number => hashOfTraceId(traceId) % partitions
