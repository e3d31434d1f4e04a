import { z } from '@spanhouse/validation'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { describedAs } from '../http/openapi.ts'
import { reasonOf } from '../log/reason.ts'
import type { Metrics } from '../metrics.ts'

/** A part of the process, as seen by a load balancer. */
export interface PartInUse {
  /** Checks whether it works; rejects if it does not. */
  check: () => Promise<unknown>
  /** How long the process remains useful without it; 0: not at all, infinity: for ever. */
  spareMs: number
}

const partState = z.enum(['ok', 'failing'])
type PartState = z.output<typeof partState>

/** Not endpoints as others are: these answer however busy the process is. */
const described = (
  endpoint: Pick<Parameters<typeof describedAs>[0], 'path' | 'summary' | 'answer' | 'answerTypes' | 'otherAnswers'>,
): { config: FastifyContextConfig } => ({ config: describedAs({ method: 'GET', tag: 'health', ...endpoint }) })

const HEALTH = described({
  path: '/health',
  summary: 'Reports that the process is alive.',
  answer: z.object({ status: z.literal('ok') }),
})
const parts = z.record(z.string(), partState)
const READY = described({
  path: '/ready',
  summary: 'Reports which parts of the process work; 503 if one that it cannot do without has failed.',
  answer: z.object({ status: z.enum(['ok', 'degraded']), parts }),
  otherAnswers: {
    503: z.object({ status: z.literal('not ready'), parts }).meta({ description: 'The process cannot do its work.' }),
  },
})
const METRICS = described({
  path: '/metrics',
  summary: 'Returns the metrics of the process in Prometheus format.',
  answerTypes: ['text/plain'],
})

const CHECK_MS = 3_000

/** How long a result of `/ready` is cached: however often it is requested, the parts are checked once a second. */
const LOOK_EVERY_MS = 1_000

/**
 * `/health`: the process is alive. `/ready`: 200 if every needed part responds (`ok`) or the failing ones can be spared
 * (`degraded`), otherwise 503 (`not ready`), always with the state of each part.
 */
export function healthRoutes(parts: Record<string, PartInUse>, metrics: Metrics): (app: FastifyInstance) => void {
  /** Since when each failing part has been failing. */
  const failingSince = new Map<string, number>()
  const look = async (name: string, { check, spareMs }: PartInUse) => {
    const reason = await faultOf(check)
    const state: PartState = reason === undefined ? 'ok' : 'failing'
    if (state === 'ok') failingSince.delete(name)
    else if (!failingSince.has(name)) failingSince.set(name, performance.now())
    return { name, state, reason, isSpared: performance.now() - (failingSince.get(name) ?? 0) < spareMs }
  }
  let latest: { since: number; looked: ReturnType<typeof lookNow> } | undefined
  const lookNow = () => Promise.all(Object.entries(parts).map(([name, part]) => look(name, part)))
  const lookAtAll = () => {
    if (!latest || performance.now() - latest.since >= LOOK_EVERY_MS)
      latest = { since: performance.now(), looked: lookNow() }
    return latest.looked
  }
  return app => {
    app.get('/health', HEALTH, () => ({ status: 'ok' }))
    app.get('/ready', READY, async (request, reply) => {
      const looked = await lookAtAll()
      const states = Object.fromEntries(looked.map(({ name, state }) => [name, state]))
      const failing = looked.filter(({ state }) => state !== 'ok')
      const isReady = failing.every(({ isSpared }) => isSpared)
      const status = failing.length === 0 ? 'ok' : isReady ? 'degraded' : 'not ready'
      const reasons = Object.fromEntries(failing.map(({ name, reason }) => [name, reason]))
      if (failing.length > 0) request.log.warn({ parts: states, reasons }, status)
      // No reasons: they may name hosts and users, and the endpoint is public.
      return reply.code(isReady ? 200 : 503).send({ status, parts: states })
    })
    app.get('/metrics', METRICS, async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
  }
}

/** Why a part fails, or undefined if it does not. */
async function faultOf(check: PartInUse['check']): Promise<string | undefined> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, CHECK_MS, new Error('no answer')).unref())
  return Promise.race([check(), late]).then(() => undefined, reasonOf)
}
