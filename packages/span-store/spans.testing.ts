import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouseSettings } from '@clickhouse/client'
import type { Span } from '@spanhouse/model'
import { type Engine, openEngine } from './engine.ts'
import { migrateSpans } from './migrate.ts'

/** The embedded engine on a fresh folder with the tables made. */
export async function openTestEngine(
  settings: ClickHouseSettings = {},
): Promise<{ engine: Engine; close(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'spanhouse-'))
  const engine = await openEngine({ path }, { connections: 1, settings })
  await migrateSpans(engine, new URL('../../clickhouse/single', import.meta.url).pathname)
  return {
    engine,
    close: async () => {
      await engine.close()
      await rm(path, { recursive: true, force: true })
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
