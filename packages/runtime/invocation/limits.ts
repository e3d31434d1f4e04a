/** How long a run may take when its answer comes whole: as long as callers wait for one. */
export const RUN_MS_MAX = 60_000

/** How long a run may take whose answer is streamed, and for how long it may say nothing. */
export const STREAMED_RUN_MS_MAX = 600_000
export const STREAM_SILENT_MS_MAX = 60_000

/** Outputs, as JSON text. */
export const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** What one run may write into its trace: members beyond it are left out, and the span says so. */
export const TRACE_BYTES_MAX = 48 * 1024 * 1024

/** Spans of one run. Calls beyond it are made, and leave none. */
export const SPANS_MAX = 1_000
