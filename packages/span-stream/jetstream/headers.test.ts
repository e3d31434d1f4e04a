import { headers, MsgHdrsImpl } from '@nats-io/transport-node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMessage } from '../messages.testing.ts'
import {
  fromHeaders,
  getLetter,
  getParts,
  HEADER_BYTES_MAX,
  metadataOf,
  setLetter,
  setParts,
  toHeaders,
} from './headers.ts'

/** As they come out at the other end of the wire. */
const sent = (from: ReturnType<typeof headers>) => MsgHdrsImpl.decode((from as MsgHdrsImpl).encode())

const anyLetter = fc.record({
  reason: fc.string({ unit: 'binary', maxLength: 2_000 }),
  rejected_at: fc.nat(),
  attempt: fc.nat(),
})

describe('headers', () => {
  it('give back every field, and fit into the room kept for them', () => {
    fc.assert(
      fc.property(anyMessage, anyLetter, fc.array(fc.nat(), { maxLength: 128 }), (message, letter, parts) => {
        const metadata = metadataOf(message)
        const to = toHeaders(metadata)
        setLetter(to, letter)
        setParts(to, parts)
        expect(fromHeaders(sent(to))).toEqual(metadata)
        expect(getLetter(sent(to))).toEqual(letter)
        expect(getParts(sent(to))).toEqual(parts)
        expect((to as MsgHdrsImpl).encode().length).toBeLessThan(HEADER_BYTES_MAX)
      }),
    )
  })

  it('are not those of a message when one is missing or damaged', () => {
    const whole = () => toHeaders(metadataOf({ ...fc.sample(anyMessage, 1)[0], format: 'otlp' } as never))
    expect(fromHeaders(whole())).not.toBeNull()
    for (const name of whole().keys()) {
      const without = whole()
      without.delete(name)
      expect(fromHeaders(without)).toBeNull()
    }
    const strange = whole()
    strange.set('Span-Count', 'many')
    expect(fromHeaders(strange)).toBeNull()
    const future = whole()
    future.set('Span-Format', 'arrow')
    expect(fromHeaders(future)).toBeNull()
    expect(fromHeaders(headers())).toBeNull()
    expect(fromHeaders(undefined)).toBeNull()
  })
})
