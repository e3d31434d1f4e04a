import { describe, expect, it } from 'vitest'
import { InFlight } from './admission.ts'
import { createMessage } from './contract.testing.ts'

describe('InFlight', () => {
  const messageOf = (bytes: number) => [createMessage({ body: Buffer.alloc(bytes) })]

  it('refuses what exceeds the bytes in flight until some have landed', async () => {
    const inFlight = new InFlight(1_000)
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = inFlight.run(messageOf(600), () => promise)
    const second = inFlight.run(messageOf(400), () => promise)
    const busy = { code: 'overloaded', retryAfterSeconds: 1 }
    await expect(inFlight.run(messageOf(1), () => promise)).rejects.toMatchObject(busy)
    resolve()
    await Promise.all([first, second])
    await inFlight.run(messageOf(1_000), async () => undefined)
  })

  it('lets a message pass alone that exceeds the limit, and counts what failed as landed', async () => {
    const inFlight = new InFlight(1_000)
    const failed = inFlight.run(messageOf(5_000), () => Promise.reject(new Error('no')))
    await expect(inFlight.run(messageOf(1), async () => undefined)).rejects.toMatchObject({ code: 'overloaded' })
    await expect(failed).rejects.toThrow('no')
    await inFlight.run(messageOf(5_000), async () => undefined)
  })
})
