import { EventSourceParserStream } from 'eventsource-parser/stream'
import { answered, type Spanhouse, SpanhouseError } from './client.ts'

/** How many rows have each status. */
export interface Counts {
  total: number
  by_status: Record<string, number>
}

/** How far a run is. */
export interface RunProgress {
  run_id: string
  status: string
  is_active: boolean
  is_closed: boolean
  scenarios: Counts
  cells: Counts
  /** In USD, once metrics are computed. */
  costs?: number
}

export type RunEvent =
  | { name: 'progress'; data: RunProgress }
  | { name: 'state'; data: Pick<RunProgress, 'run_id' | 'status' | 'is_active' | 'is_closed'> }
  | { name: 'end'; data: RunProgress | { run_id: string; is_deleted: true } }

/** How long the server may be away, as while it starts again, and the pause before each attempt to reach it. */
const AWAY_MS = 60_000
const PAUSE_MS = 1_000

/**
 * The events of a run, the last of which is `end`. A stream that breaks is opened again, also if the server is away for
 * up to a minute; the first event after that says how far the run is then. Throws a `SpanhouseError` for a run that
 * there is not, and at once if the server cannot be reached at the start.
 */
export async function* followRun(
  spanhouse: Spanhouse,
  run_id: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<RunEvent> {
  let lastHeard = -Infinity
  for (;;) {
    try {
      for await (const event of eventsOf(spanhouse, run_id, signal)) {
        lastHeard = performance.now()
        yield event
        if (event.name === 'end') return
      }
    } catch (error) {
      if (!isAway(error) || performance.now() - lastHeard > AWAY_MS) throw error
    }
    signal?.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
}

/**
 * Whether the server, or a proxy for it, may respond again soon. A TypeError is what `fetch` throws without a
 * connection; an abort is the caller's own.
 */
const isAway = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof SpanhouseError && [502, 503, 504].includes(error.status))

/** The events until the stream ends; throws if it breaks. */
async function* eventsOf(spanhouse: Spanhouse, run_id: string, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const path = { run_id }
  const stream = (await answered(
    spanhouse.GET('/evaluations/runs/{run_id}/events', { params: { path }, parseAs: 'stream', signal }),
  )) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { event, data } of events) yield { name: event, data: JSON.parse(data) } as RunEvent
}
