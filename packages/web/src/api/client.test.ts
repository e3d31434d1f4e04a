import { afterEach, expect, test, vi } from 'vitest'
import type { ApiError } from './api-error.ts'
import { call } from './client.ts'
import { keyState, setKey } from './key.ts'

afterEach(() => void vi.unstubAllGlobals())

/** What the page holds of its key after a request that is answered so, and what it says went wrong. */
async function answered(status: number, body: unknown, meanwhile?: () => void): Promise<[key: string, reason: string]> {
  const stored = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  }
  vi.stubGlobal('localStorage', localStorage)
  vi.stubGlobal('fetch', async () => {
    meanwhile?.()
    return Response.json(body, { status })
  })
  setKey('some.key')
  const reason = await call('/services/invoke', { method: 'POST', body: {} }).catch((error: Error) => error.message)
  return [keyState(), String(reason)]
}

test('a response that breaks off is asked for again, as one that never came', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async () => new Response('{"count": 1, "ro'))
  const error = await call('/api/spans/rows', {}).catch((failure: ApiError) => failure)
  expect(error).toMatchObject({ isPassing: true, message: 'The response of the server broke off.' })
})

test('a key that the server rejects is asked for again', async () => {
  expect(await answered(401, { detail: { message: 'Unauthorized' } })).toEqual(['rejected', 'Unauthorized'])
  expect(await answered(401, null)).toEqual(['rejected', 'The server responded with status 401.'])
})

test('a run that failed with 401 has its own reason, and the key stays', async () => {
  const run = { status: { code: 401, message: 'The service responded with status 401.' }, trace_id: '1' }
  expect(await answered(401, run)).toEqual(['present', 'The service responded with status 401.'])
})

test('a key that was entered while the one before was rejected stays', async () => {
  expect(await answered(401, null, () => setKey('another.key'))).toEqual([
    'present',
    'The server responded with status 401.',
  ])
})
