import { MICROS_MAX } from '@spanhouse/model'
import fc from 'fast-check'
import { MESSAGE_FORMATS } from './span-stream.ts'

const PRINTABLE = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))

/** Any message that a stream accepts, for property tests. */
export const anyMessage = fc.record({
  id: fc.string({ unit: fc.constantFrom(...PRINTABLE), minLength: 1, maxLength: 200 }),
  partition: fc.integer({ min: 0, max: 0xffff }),
  project_id: fc.uuid(),
  user_id: fc.uuid(),
  accepted_at: fc.integer({ min: 0, max: MICROS_MAX }),
  span_count: fc.integer({ min: 0, max: 0xffffffff }),
  format: fc.constantFrom(...MESSAGE_FORMATS),
  body: fc.uint8Array({ maxLength: 40 }),
})
