import { REASON_MAX } from './admission.ts'
import type { Delivery } from './span-stream.ts'

/** How long an iteration may hold a message that is not settled before it is delivered again. */
export const HOLD_MS = 10 * 60_000

/** A delivery whose settling functions refuse to settle twice. One that failed may be called again. */
export function createDelivery(delivery: Delivery): Delivery {
  let settled = false
  const once = async (settle: () => Promise<void>) => {
    if (settled) throw new Error(`Message ${delivery.message.id} has been settled before`)
    settled = true
    await settle().catch(error => {
      settled = false
      throw error
    })
  }
  return {
    ...delivery,
    ack: () => once(delivery.ack),
    retry: delayMs => once(() => delivery.retry(delayMs)),
    reject: reason => once(() => delivery.reject(reason.slice(0, REASON_MAX))),
  }
}
