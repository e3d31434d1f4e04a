import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'

/** Asks one part whether it works; rejects when it does not. */
export type PartCheck = () => Promise<unknown>

const CHECK_MS = 3_000

/** `/health`: the process is alive. `/ready`: every part it needs answers (503 with the state of each otherwise). */
export function healthRoutes(checks: Record<string, PartCheck>, metrics: Metrics): (app: FastifyInstance) => void {
  return app => {
    app.get('/health', () => ({ status: 'ok' }))
    app.get('/ready', async (request, reply) => {
      const parts = Object.fromEntries(
        await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const)),
      )
      const failed = Object.entries(parts).filter(([, state]) => state !== 'ok')
      if (failed.length > 0) request.log.warn({ parts }, 'not ready')
      return reply.code(failed.length > 0 ? 503 : 200).send({ status: failed.length > 0 ? 'not ready' : 'ok', parts })
    })
    app.get('/metrics', async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
  }
}

/** Nothing of an error's text: it may name hosts and users, and anybody may ask. */
async function stateOf(check: PartCheck): Promise<'ok' | 'failing'> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, CHECK_MS, new Error('no answer')).unref())
  return Promise.race([check(), late]).then(
    () => 'ok' as const,
    () => 'failing' as const,
  )
}
