import type { FastifyInstance } from 'fastify'
import type { SimpleTraceParts } from '../../simple-traces/simple-traces.ts'
import { tracingReadRoutes } from './deprecated/reads.ts'
import { tracingWriteRoutes } from './deprecated/writes.ts'
import { simpleTraceRoutes } from './simple-traces.ts'
import { spanRoutes } from './spans.ts'
import { tailRoutes } from './tail.ts'
import { traceWriteRoutes } from './trace-writes.ts'
import { traceRoutes } from './traces.ts'

/** All routes that write and read traces, spans and simple traces as JSON. */
export const tracingRoutes = (parts: SimpleTraceParts): ((app: FastifyInstance) => void)[] => [
  spanRoutes(parts),
  traceRoutes(parts),
  traceWriteRoutes(parts),
  tracingWriteRoutes(parts),
  tracingReadRoutes(parts.engine),
  simpleTraceRoutes(parts),
  tailRoutes(parts.background),
]
