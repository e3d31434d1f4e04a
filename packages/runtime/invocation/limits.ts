/** The duration of a run without a stream: as long as callers wait for a response. */
export const RUN_MS_MAX = 60_000

/** The duration of a run with a stream, and the longest time between two events. */
export const STREAMED_RUN_MS_MAX = 600_000
export const STREAM_SILENT_MS_MAX = 60_000

/** The size of the outputs as JSON text. */
export const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** The size of a run's trace: members beyond it are omitted, which the span states. */
export const TRACE_BYTES_MAX = 48 * 1024 * 1024

/** The number of spans of a run. Further calls are made but record no span. */
export const SPANS_MAX = 1_000
