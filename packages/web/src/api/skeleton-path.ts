/** Spans of a window. The first one is small, so that its rows are there at once. */
const WINDOWS = { first: 2_000, next: 20_000 }

/** The path of the window of a trace's skeleton that begins after so many spans. */
export const skeletonPath = (trace_id: string, offset: number): string => {
  const limit = offset === 0 ? WINDOWS.first : WINDOWS.next
  return `/traces/${encodeURIComponent(trace_id)}/skeleton?offset=${offset}&limit=${limit}`
}
