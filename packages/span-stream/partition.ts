import { hashOfTraceId } from '@spanhouse/model'

/**
 * The partition of a trace, from 0 to `partitions` - 1, by a hash of its id. A plain remainder of the id would not do:
 * not every sender makes random ids. The function never changes, because two processes that disagree would give one trace
 * to two writers.
 */
export const partitionOf = (traceId: Uint8Array, partitions: number): number => hashOfTraceId(traceId) % partitions
