import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Runs } from './runs.ts'

/** Requests in their order, each answered by hand. */
const requests: { signal: AbortSignal; answer: (outputs: string) => void }[] = []

beforeEach(() => {
  requests.length = 0
  vi.stubGlobal('localStorage', { getItem: () => 'some.key' })
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    signal.addEventListener('abort', () => reject(signal.reason))
    const answer = (outputs: string): void => {
      const envelope = { status: { code: 200, message: 'success' }, data: { outputs } }
      resolve(new Response(`${JSON.stringify(envelope)}\n`))
    }
    requests.push({ signal, answer })
    return promise
  })
})
afterEach(() => void vi.unstubAllGlobals())

const BODY = { references: {}, data: {} }

test('a cell that is run again shows its newest run, whichever ends last', async () => {
  const runs = new Runs()
  runs.start('cell', BODY, {})
  runs.start('cell', BODY, {})
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false])
  requests[1]?.answer('new')
  await expect.poll(() => runs.cell('cell')).toMatchObject({ state: 'done', outputs: 'new' })
  requests[0]?.answer('old')
  await expect.poll(() => runs.pending()).toBe(0)
  expect(runs.cell('cell')).toMatchObject({ state: 'done', outputs: 'new' })
})

test('a run that waits is not made any more when its cell is run again', async () => {
  const runs = new Runs()
  for (const key of ['1', '2', '3', '4', 'last', 'last']) runs.start(key, BODY, {})
  expect(requests).toHaveLength(4)
  for (const { answer } of [...requests]) answer('done')
  await expect.poll(() => requests).toHaveLength(5)
  requests[4]?.answer('once')
  await expect.poll(() => runs.pending()).toBe(0)
  expect(requests).toHaveLength(5)
  expect(runs.cell('last')).toMatchObject({ outputs: 'once' })
})

test('what is stopped says so, whether it waits or runs', async () => {
  const runs = new Runs()
  for (const key of ['1', '2', '3', '4', 'waiting']) runs.start(key, BODY, {})
  runs.stop()
  expect(runs.cell('waiting')).toMatchObject({ state: 'failed', error: 'Stopped.' })
  await expect.poll(() => runs.pending()).toBe(0)
  expect(runs.cell('1')).toMatchObject({ state: 'failed', error: 'Stopped.' })
  runs.start('1', BODY, {})
  requests.at(-1)?.answer('again')
  await expect.poll(() => runs.cell('1')).toMatchObject({ state: 'done', outputs: 'again' })
})
