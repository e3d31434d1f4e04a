import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addPublicEndpoint } from '../http/endpoint.ts'
import { originOf } from '../http/origin.ts'

const answer = z.object({
  service: z.literal('Spanhouse'),
  documentation: z.string(),
  openapi: z.string(),
  traces: z.string().meta({ description: 'The endpoint of OTLP exporters.' }),
})

/** The address itself, which is what people open first. */
export function entryRoutes(app: FastifyInstance): void {
  addPublicEndpoint(app, {
    method: 'GET',
    path: '/',
    tag: 'health',
    summary: 'Returns the address of the documentation.',
    answer,
    handle: ({ request }) => {
      const api = `${originOf(request)}/api`
      return {
        service: 'Spanhouse',
        documentation: `${api}/docs`,
        openapi: `${api}/openapi.json`,
        traces: `${api}/otlp/v1/traces`,
      }
    },
  })
}
