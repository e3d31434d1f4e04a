import type { FastifyInstance } from 'fastify'
import type { RecordParts } from '../../records/records.ts'
import { tracingReadRoutes } from './deprecated/reads.ts'
import { tracingWriteRoutes } from './deprecated/writes.ts'
import { recordRoutes } from './records.ts'
import { spanRoutes } from './spans.ts'
import { tailRoutes } from './tail.ts'
import { traceWriteRoutes } from './trace-writes.ts'
import { traceRoutes } from './traces.ts'

/** All routes under which traces, spans and the records made of them are written and read as JSON. */
export const tracingRoutes = (parts: RecordParts): ((app: FastifyInstance) => void)[] => [
  spanRoutes(parts),
  traceRoutes(parts),
  traceWriteRoutes(parts),
  tracingWriteRoutes(parts),
  tracingReadRoutes(parts.engine),
  recordRoutes(parts),
  tailRoutes(parts.background),
]
