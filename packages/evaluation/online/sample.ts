import type { TraceId } from '@spanhouse/model'

const NUMBERS = 2 ** 32

/**
 * Where a trace stands between 0 and 1: it is sampled by all rates above that, so that a larger rate keeps the traces
 * of a smaller one. For whole percents these are the traces that the interface's rule keeps (the first 32 bits of the
 * id modulo 100); what is left of the number tells apart the traces within a percent.
 */
export function sampleOf(trace_id: TraceId): number {
  const number = Number.parseInt(trace_id.slice(0, 8), 16)
  const [percent, rest] = [number % 100, Math.floor(number / 100)]
  return (percent + rest / Math.ceil(NUMBERS / 100)) / 100
}

/** Whether a rate keeps a trace. */
export const isSampled = (trace_id: TraceId, rate: number | undefined): boolean =>
  rate === undefined || rate >= 1 || sampleOf(trace_id) < rate
