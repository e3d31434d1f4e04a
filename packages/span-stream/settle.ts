import { setTimeout as sleep } from 'node:timers/promises'
import { REASON_MAX, Refusal } from './admission.ts'
import type { Delivery } from './span-stream.ts'

/** How long an iteration may hold an unsettled message before it is redelivered. */
export const HOLD_MS = 10 * 60_000

/**
 * Messages of each lane that are looked at before another one: in JetStream each comes with its body. A project whose
 * own messages are behind so many of others does not wait for those.
 */
export const LOOKS_MAX = 50

/** Delay before retrying a message for which the dead letters had no space. */
const NO_ROOM_MS = 60_000

/** Delays between attempts. */
const PAUSE_MS_MIN = 50
const PAUSE_MS_MAX = 2_000

/**
 * Wraps a delivery whose functions make a single attempt in one that fulfils the contract: nothing is settled twice,
 * and attempts that fail because the stream is unreachable are repeated until the iteration ends.
 */
export function createDelivery(delivery: Delivery, ended: AbortSignal): Delivery {
  let settled = false
  const once = async (settle: () => Promise<void>) => {
    if (settled) throw new Error(`Message ${delivery.message.id} is already settled`)
    settled = true
    await persist(settle, ended).catch(error => {
      settled = false
      throw error
    })
  }
  const reject = (reason: string) =>
    delivery.reject(reason.slice(0, REASON_MAX)).catch(error => {
      if (error instanceof Refusal && error.why === 'dead_letters_full') return delivery.retry(NO_ROOM_MS)
      throw error
    })
  return {
    ...delivery,
    ack: () => once(delivery.ack),
    retry: delayMs => once(() => delivery.retry(delayMs)),
    reject: reason => once(() => reject(reason)),
  }
}

/** Repeats what the stream temporarily rejects. Once the iteration has ended, it rejects as the last attempt did. */
export async function persist<T>(attempt: () => Promise<T>, ended: AbortSignal): Promise<T> {
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await attempt()
    } catch (error) {
      if (ended.aborted || !(error instanceof Refusal)) throw error
      await sleep(pauseMs, undefined, { signal: ended }).catch(() => undefined)
    }
  }
}
