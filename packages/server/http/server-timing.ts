import { Usage } from '@spanhouse/span-store'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request reads no spans. */
    meter: Meter | undefined
  }
}

/** Where the time of a request that reads spans goes. */
class Meter {
  /** Waiting for a slot in the share. */
  queueMs = 0
  readonly usage = new Usage()
  #handledAt: number | undefined

  /** The response is now rendered as JSON. */
  handled(): void {
    this.#handledAt = performance.now()
  }

  /** The value of `Server-Timing`, without `total`. */
  toString(): string {
    const { statements, queueMs, waitMs, engineMs, busyMs, rows, bytes } = this.usage
    const share = queueMs + waitMs > busyMs ? busyMs / (queueMs + waitMs) : 1
    const renderMs = this.#handledAt === undefined ? 0 : performance.now() - this.#handledAt
    const durations = {
      queue: this.queueMs + share * queueMs,
      engine: share * engineMs,
      transfer: share * Math.max(0, waitMs - engineMs),
      render: renderMs,
    }
    const read = `read;desc="${statements} statements, ${rows} rows, ${Math.round(bytes / 1000)} KB"`
    return [...Object.entries(durations).map(([name, ms]) => timed(name, ms)), read].join(', ')
  }
}

const timed = (name: string, ms: number): string => `${name};dur=${ms.toFixed(1)}`

/** Begins to measure a request. */
export function meterOf(request: FastifyRequest): Meter {
  request.meter = new Meter()
  return request.meter
}

/**
 * `Server-Timing` in responses to requests that read spans: `queue` (waiting for a slot and a connection), `engine`
 * (ClickHouse's own time), `transfer` (the rest of the time until their results were read), `read` (the rows and bytes
 * that ClickHouse read), `render` (the response as JSON; of a streamed one its beginning) and `total` (since the
 * request arrived, without compression). Statements at the same time, such as those to several shards, share the time,
 * so that the parts are never more than the total. Must be added before compression.
 */
export function addServerTiming(app: FastifyInstance): void {
  app.decorateRequest('meter', undefined)
  app.addHook('onSend', async ({ meter }, reply) => {
    if (meter) reply.header('server-timing', `${meter}, ${timed('total', reply.elapsedTime)}`)
  })
}
