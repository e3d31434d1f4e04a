import type { FastifyInstance } from 'fastify'
import type { SimpleTraceParts } from '../../simple-traces/simple-traces.ts'
import { tracingReadRoutes } from './deprecated/reads.ts'
import { tracingWriteRoutes } from './deprecated/writes.ts'
import { simpleTraceRoutes } from './simple-traces.ts'
import { spanRoutes } from './spans.ts'
import { tailRoutes } from './tail.ts'
import { traceWriteRoutes } from './trace-writes.ts'
import { traceRoutes } from './traces.ts'

/** All routes under which traces, spans and the records made of them are written and read as JSON. */
export const tracingRoutes = (parts: SimpleTraceParts): ((app: FastifyInstance) => void)[] => [
  spanRoutes(parts),
  traceRoutes(parts),
  traceWriteRoutes(parts),
  tracingWriteRoutes(parts),
  tracingReadRoutes(parts.engine),
  simpleTraceRoutes(parts),
  tailRoutes(parts.background),
]
