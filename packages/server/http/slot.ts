import { Problem } from '@spanhouse/model'
import { onBehalfOfUntil } from '@spanhouse/postgres'
import { cancellable, metered } from '@spanhouse/span-store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { REQUEST_MS_MAX } from '../budget/limits.ts'
import type { Tenant } from '../shares/pool.ts'
import { isTimed, type ShareName } from '../shares/shares.ts'
import { whenClosed } from './answer/when-closed.ts'
import { meterOf } from './server-timing.ts'

const SECONDS_MAX = REQUEST_MS_MAX / 1000
const READ_TOO_SLOW = new Problem(
  'query_timeout',
  `The request took longer than ${SECONDS_MAX} s, the maximum for waiting and for all its queries together.`,
)
const CALL_TOO_SLOW = new Problem(
  'overloaded',
  `The request took longer than ${SECONDS_MAX} s, the maximum for waiting and for all its statements together; try again.`,
  { retryAfterSeconds: 5 },
)

/**
 * Runs the work with a slot of the share, which is returned when the work is done or its response is complete (see
 * `app`): a caller who reads slowly holds no slot. A request that takes longer than {@link REQUEST_MS_MAX} no longer
 * waits for a slot or for the database, and its reads of spans are cancelled; those of a caller who disconnects are,
 * too.
 */
export async function withSlot<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { share, tenant }: { share: ShareName; tenant: Tenant },
  work: () => T,
): Promise<Awaited<T>> {
  const late = new AbortController()
  // Aborts when it is late, too: `AbortSignal.any` takes 2 µs, and its weak references are work for the collector.
  const ending = new AbortController()
  const leave = (): void => {
    if (!reply.raw.writableEnded) ending.abort(new Problem('overloaded', 'The client has closed the connection.'))
  }
  const end = (): void => {
    late.abort(tooSlow)
    ending.abort(tooSlow)
  }
  const tooSlow = share === 'read' ? READ_TOO_SLOW : CALL_TOO_SLOW
  const timer = isTimed(share) ? setTimeout(end, REQUEST_MS_MAX) : undefined
  const begin = (): Promise<Awaited<T>> => onBehalfOfUntil(tenant.project_id, late.signal, work)
  whenClosed(reply, leave)
  try {
    const meter = share === 'read' ? meterOf(request) : undefined
    const asked = performance.now()
    request.giveBackSlot = await request.server.shares.take(share, tenant, ending.signal)
    // Without a deadline there is nothing to cancel, and hundreds of runs wait for their models at once.
    if (!isTimed(share)) return await work()
    if (!meter) return await cancellable(late.signal, begin)
    meter.queueMs = performance.now() - asked
    return await cancellable(ending.signal, () => metered(meter.usage, begin))
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', leave)
    // Long lists are read while they are sent.
    if (share === 'heavy') whenClosed(reply, () => request.giveBackSlot())
    else request.giveBackSlot()
  }
}
