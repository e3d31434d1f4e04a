import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { identifyApiKey, isSameKey, makeApiKey } from './api-key.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a new key has a prefix of 8 and a secret of 64 characters, and is not made twice', () => {
  const keys = Array.from({ length: 200 }, makeApiKey)
  for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]{8}\.[0-9a-f]{64}$/)
  expect(keys[0]).toHaveLength(73)
  expect(new Set(keys).size).toBe(keys.length)
})

test('what is stored of a key is its prefix and the hash of its secret', () => {
  const secret = '3f9a0c5e7b1d24688ace0f1357bd9f02468ace13579bdf0f1e2d3c4b5a697887'
  expect(identifyApiKey(`Qx7Lm2Pz.${secret}`)).toEqual({ prefix: 'Qx7Lm2Pz', hash: `Qx7Lm2Pz.${sha256(secret)}` })
})

test.each([
  'sk-local',
  'a',
  'Qx7Lm2Pz.3F9A0C5E7B1D24688ACE0F1357BD9F02468ACE13579BDF0F1E2D3C4B5A697887',
  'x'.repeat(256),
])('a key of another format, %s, has a derived prefix', key => {
  const identity = identifyApiKey(key)
  expect(identity?.prefix).toMatch(/^[0-9a-f]{8}$/)
  expect(identity?.hash).toBe(`${identity?.prefix}.${sha256(key)}`)
  expect(identity?.prefix).not.toBe(sha256(key).slice(0, 8))
})

test.each(['', 'two words', 'tab\t', 'naïve', 'x'.repeat(257), 'line\n'])('%j cannot be a key', key => {
  expect(identifyApiKey(key)).toBeNull()
})

test('keys are the same when their hashes are', () => {
  const [one, other] = [identifyApiKey(makeApiKey()), identifyApiKey(makeApiKey())]
  if (!one || !other) throw new Error('not identified')
  expect(isSameKey(one, { ...one })).toBe(true)
  expect(isSameKey(one, other)).toBe(false)
  expect(isSameKey(one, { ...one, hash: `${one.hash}0` })).toBe(false)
})
