import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'

/** A part of the process, as somebody sees it who wants to know whether to send requests here. */
export interface PartInUse {
  /** Asks whether it works; rejects when it does not. */
  check: () => Promise<unknown>
  /** For so long the process is of use without it; 0: not at all. */
  spareMs: number
}

type PartState = 'ok' | 'failing'

const CHECK_MS = 3_000

/** For so long an answer of `/ready` stands: however often it is asked, its parts are asked once a second. */
const LOOK_EVERY_MS = 1_000

/**
 * `/health`: the process is alive. `/ready`: 200 when every part it needs answers (`ok`) or it can spare those that do not
 * (`degraded`), otherwise 503 (`not ready`), always with the state of each part.
 */
export function healthRoutes(parts: Record<string, PartInUse>, metrics: Metrics): (app: FastifyInstance) => void {
  /** Since when each part that fails has been found failing. */
  const failingSince = new Map<string, number>()
  const look = async (name: string, { check, spareMs }: PartInUse) => {
    const state = await stateOf(check)
    if (state === 'ok') failingSince.delete(name)
    else if (!failingSince.has(name)) failingSince.set(name, performance.now())
    return { name, state, isSpared: performance.now() - (failingSince.get(name) ?? 0) < spareMs }
  }
  let latest: { since: number; looked: ReturnType<typeof lookNow> } | undefined
  const lookNow = () => Promise.all(Object.entries(parts).map(([name, part]) => look(name, part)))
  const lookAtAll = () => {
    if (!latest || performance.now() - latest.since >= LOOK_EVERY_MS)
      latest = { since: performance.now(), looked: lookNow() }
    return latest.looked
  }
  return app => {
    app.get('/health', () => ({ status: 'ok' }))
    app.get('/ready', async (request, reply) => {
      const looked = await lookAtAll()
      const states = Object.fromEntries(looked.map(({ name, state }) => [name, state]))
      const failing = looked.filter(({ state }) => state !== 'ok')
      const isReady = failing.every(({ isSpared }) => isSpared)
      const status = failing.length === 0 ? 'ok' : isReady ? 'degraded' : 'not ready'
      if (failing.length > 0) request.log.warn({ parts: states }, status)
      return reply.code(isReady ? 200 : 503).send({ status, parts: states })
    })
    app.get('/metrics', async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
  }
}

/** Nothing of an error's text: it may name hosts and users, and anybody may ask. */
async function stateOf(check: PartInUse['check']): Promise<PartState> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, CHECK_MS, new Error('no answer')).unref())
  return Promise.race([check(), late]).then(
    () => 'ok' as const,
    () => 'failing' as const,
  )
}
