import { EventSourceParserStream } from 'eventsource-parser/stream'
import { answered, type Spanhouse } from './client.ts'

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

/**
 * The events of a run, the last of which is `end`. A stream that breaks is opened again; the first event after that
 * says how far the run is then. Throws a `SpanhouseError` for a run that there is not.
 */
export async function* followRun(
  spanhouse: Spanhouse,
  run_id: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<RunEvent> {
  for (;;) {
    for await (const event of eventsOf(spanhouse, run_id, signal)) {
      yield event
      if (event.name === 'end') return
    }
    signal?.throwIfAborted()
  }
}

/** The events until the stream ends or breaks. */
async function* eventsOf(spanhouse: Spanhouse, run_id: string, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const path = { run_id }
  const stream = (await answered(
    spanhouse.GET('/evaluations/runs/{run_id}/events', { params: { path }, parseAs: 'stream', signal }),
  )) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  try {
    for await (const { event, data } of events) yield { name: event, data: JSON.parse(data) } as RunEvent
  } catch (error) {
    // What undici throws for a connection that was closed; an abort is the caller's own.
    if (!(error instanceof TypeError)) throw error
  }
}
