import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { parseJson } from '@spanhouse/model'
import { expect, test, vi } from 'vitest'
import { asking, fake, routeTo, sent } from '../calls.testing.ts'
import type { ChatEvent } from '../chat-reply.ts'
import type { ChatOptions } from '../chat-request.ts'
import { openModels } from '../models.ts'

const slow = routeTo('openai', 'fake-delay-10000')
const echo = routeTo('openai', 'fake-echo')

/** Resolves when the provider has this many requests more. */
async function oneMore(work: () => void): Promise<void> {
  const before = fake.requests.length
  work()
  await expect.poll(() => fake.requests.length).toBe(before + 1)
}

test('if the thread dies, calls in progress fail so that they may be repeated, and the next call has another thread', async () => {
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  const models = openModels({ isOpen: true })
  try {
    const calls: Promise<unknown>[] = []
    await oneMore(() => void calls.push(models.callChat(slow, asking('one')).catch(error => error)))
    await (posted.mock.contexts.at(-1) as Worker).terminate()
    expect(await calls[0]).toMatchObject({ name: 'ModelError', category: 'availability', isPartial: false })
    expect((await models.callChat(echo, asking('again'))).message.content).toContain('again')
  } finally {
    posted.mockRestore()
    await models.close()
  }
})

test('closing fails what is in progress and what comes later', async () => {
  const models = openModels({ isOpen: true })
  const calls: Promise<unknown>[] = []
  await oneMore(() => void calls.push(models.callChat(slow, asking('one')).catch(error => error)))
  await models.close()
  expect(await calls[0]).toMatchObject({ name: 'ModelError', category: 'availability' })
  await expect(models.callChat(echo, asking('two'))).rejects.toMatchObject({ category: 'availability' })
})

test('an error of whoever gets the events ends the call, and only that one', async () => {
  const models = openModels({ isOpen: true })
  const failed = new Error('the reader is gone')
  const broken = models.callChat(routeTo('openai', 'fake-slow-20'), asking('a story'), () => {
    throw failed
  })
  const events: ChatEvent[] = []
  const whole = models.callChat(echo, asking('another'), event => events.push(event))
  await expect(broken).rejects.toBe(failed)
  expect((await whole).message.content).toContain('another')
  expect(events.map(event => ('delta' in event ? event.delta : '')).join('')).toContain('another')
  await models.close()
})

test('integers beyond the exact numbers reach the provider as numbers', async () => {
  const models = openModels({ isOpen: true })
  const options = parseJson('{"logit_bias": {"big": 12345678901234567890}}') as ChatOptions
  await models.callChat(echo, asking('numbers', { options }))
  expect(sent()).toMatchObject({ logit_bias: { big: Number('12345678901234567890') } })
  await models.close()
})

test('hundreds of calls at once get their own answers', async () => {
  const models = openModels({ isOpen: true })
  const words = Array.from({ length: 300 }, (_, index) => `word-${index}`)
  const replies = await Promise.all(
    words.map(async (word, index) => {
      await delay(index % 7)
      return (await models.callChat(echo, asking(word))).message.content
    }),
  )
  expect(replies.map((reply, index) => reply?.includes(words[index] as string))).toEqual(words.map(() => true))
  await models.close()
})
