import { randomUUID } from 'node:crypto'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import type { Span } from '@spanhouse/model'
import { type Engine, openEngine } from './engine/engine.ts'
import type { Settings } from './engine/http-client.ts'
import { migrateSpans } from './migrate.ts'

/** Starts a separate server with the tables created. */
export async function openTestEngine(settings: Settings = {}): Promise<{ engine: Engine; close(): Promise<void> }> {
  const server = await startTestServer()
  const maker = openEngine(server.url, { connections: 1 })
  await migrateSpans(maker, new URL('../../clickhouse', import.meta.url).pathname)
  await maker.close()
  const engine = openEngine(server.url, { connections: 4, settings })
  return {
    engine,
    close: async () => {
      await engine.close()
      await server.stop()
    },
  }
}

export const newProject = (): string => randomUUID()

/** A canonical span with the given differences. */
export function makeSpan(differences: Partial<Span> & Pick<Span, 'trace_id' | 'span_id'>): Span {
  return {
    span_type: 'task',
    span_kind: 'SPAN_KIND_INTERNAL',
    span_name: 'step',
    start_time: 1_770_000_000_000_000,
    end_time: 1_770_000_001_000_000,
    status_code: 'STATUS_CODE_UNSET',
    attributes: { ag: { type: {}, data: {}, metrics: { duration: {}, errors: {}, tokens: {}, costs: {} } } },
    ...differences,
  }
}
