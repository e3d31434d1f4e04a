import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMessage } from '../messages.testing.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope.ts'

describe('envelope', () => {
  it('gives back every field', () => {
    fc.assert(
      fc.property(anyMessage, message => {
        const { body, ...fields } = message
        expect(decodeEnvelope(encodeEnvelope(message))).toEqual({ ...fields, bodyBytes: body.length })
      }),
    )
  })

  it('refuses any other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
        const other = Buffer.from(bytes)
        if (other.length > 1 && other.readUInt8(0) === 1) other.writeUInt8(2, 0)
        expect(() => decodeEnvelope(other)).toThrow('not the envelope')
      }),
    )
  })
})
