import { afterAll, expect, test } from 'vitest'
import { asking, events, routeTo, SHAPED, serving } from './calls.testing.ts'
import { openModels } from './models.ts'

const models = openModels({ isOpen: true, idleMs: 2_000 })
afterAll(() => models.close())

const chunk = (choice: object): object => ({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })
const ANSWER = events([
  chunk({ delta: { role: 'assistant', content: 'Say data: [DONE]\n\ndata: [DONE]\n\nlouder' } }),
  chunk({ delta: {}, finish_reason: 'stop' }),
])

test.each([...SHAPED, 'mistral'])('%s need not close the connection after the end', async provider => {
  const url = await serving((_, response) => response.write(`${ANSWER}data: [DONE]\n\n`))
  const reply = await models.callChat(routeTo(provider, 'm', { url }), asking('x'), () => {})
  expect(reply.message.content).toBe('Say data: [DONE]\n\ndata: [DONE]\n\nlouder')
})

test.each(['data:[DONE]\n', 'data: [DONE] \r\n\r\n', 'data: [DONE]\n\ndata: {}\n\n'])('an end may be %j', async end => {
  const url = await serving((_, response) => response.end(ANSWER + end))
  const reply = await models.callChat(routeTo('custom', 'm', { url }), asking('x'), () => {})
  expect(reply.finishReason).toBe('stop')
})

test('an end comes byte by byte', async () => {
  const url = await serving(async (_, response) => {
    for (const byte of Buffer.from(`${ANSWER}data: [DONE]\n\n`)) {
      response.write(Buffer.of(byte))
      await new Promise(resolve => setImmediate(resolve))
    }
  })
  const reply = await models.callChat(routeTo('custom', 'm', { url }), asking('x'), () => {})
  expect(reply.message.content).toContain('louder')
})

test('connections are used again after streams', async () => {
  const ports = new Set()
  const url = await serving(({ socket }, response) => {
    ports.add(socket.remotePort)
    response.end(`${ANSWER}data: [DONE]\n\n`)
  })
  for (let calls = 0; calls < 8; calls++) await models.callChat(routeTo('custom', 'm', { url }), asking('x'), () => {})
  // A call that follows at once may find the connection before it still being put away.
  expect(ports.size).toBeLessThanOrEqual(2)
})
