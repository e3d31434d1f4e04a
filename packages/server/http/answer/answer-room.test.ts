import { Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { AnswerRoom } from './answer-room.ts'

const MIB = 1024 * 1024
const gauge = (): Gauge => new Gauge({ name: 'held', help: 'Bytes.', registers: [new Registry()] })

test('an answer has a bound, a project half of the room, and all of them the room', async () => {
  const shown = gauge()
  const room = new AnswerRoom(shown)
  const [one, same, other, third] = ['a', 'a', 'b', 'c'].map(project => room.open({ project_id: project }))
  one?.hold(200 * MIB)
  expect(() => one?.hold(57 * MIB)).toThrow(expect.objectContaining({ code: 'query_limit' }))
  expect(() => same?.hold(57 * MIB)).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 2 }))
  same?.hold(56 * MIB)
  other?.hold(250 * MIB)
  expect(() => third?.hold(7 * MIB)).toThrow('this server')
  one?.close()
  third?.hold(7 * MIB)
  for (const share of [same, other, third]) share?.close()
  expect((await shown.get()).values).toEqual([{ labels: {}, value: 0 }])
})

test('released memory can be held again, and none is held for a response that nobody waits for', () => {
  const room = new AnswerRoom(gauge())
  const share = room.open({ project_id: 'a' })
  for (let n = 0; n < 10; n++) {
    share.hold(100 * MIB)
    share.release(100 * MIB)
  }
  share.close()
  expect(() => share.hold(1)).toThrow(expect.objectContaining({ code: 'overloaded' }))
  room.open({ project_id: 'a' }).hold(256 * MIB)
})
