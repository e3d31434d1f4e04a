import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outboundFetch } from '@spanhouse/outbound'
import { invoke, type Means, type Run, type RunSpan } from '@spanhouse/runtime'
import { afterAll, expect, test } from 'vitest'
import { postTo } from './post.ts'

/** A service that takes requests and answers only those for `/ready`. */
const closed = Promise.withResolvers<void>()
const silent = createServer(({ url }, response) => {
  if (url === '/ready') response.end()
  else response.once('close', () => closed.resolve())
})
await once(silent.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
const outbound = outboundFetch({ isOpen: true })
// The first request loads the HTTP client, which on a busy machine takes longer than the hook below has.
await (await outbound(`${url}ready`)).text()
afterAll(async () => {
  await outbound.close()
  silent.closeAllConnections()
  silent.close()
})

const FRAGMENTS = { refused: 'v0:schemas:invalid-parameter', failed: 'v0:workflows:custom-hook-client-error' } as const

/** Runs a handler that does nothing but post, until it ends or its caller goes away. */
async function posted(timeoutMs: number, signal = new AbortController().signal) {
  let spans: RunSpan[] = []
  const request = { url, body: {}, timeoutMs, fragments: FRAGMENTS }
  const handler = {
    key: 'probe',
    kind: 'builtin',
    roles: ['application'],
    run: ({ means }: Run) => means.post(request).then(({ text }) => text),
  } as const
  const labels = { references: {}, links: {}, baggage: {} }
  const invocation = invoke(
    handler,
    { parameters: {}, revision: {}, flags: {}, isStreamed: false, labels },
    {
      openMeans: context => ({ post: request => postTo(outbound, context, request) }) as Means,
      record: async recorded => {
        spans = recorded
      },
      signal,
    },
  )
  const { status, recorded } = await invocation.result
  await recorded
  return { status, call: spans.find(span => span.span_name === 'http.post') }
}

test('a hook that hangs fails when its time is over, its connection is closed, and its span says so', async () => {
  const { status, call } = await posted(1_000)
  expect(status).toMatchObject({
    code: 500,
    fragment: FRAGMENTS.failed,
    message: expect.stringMatching(/1 s/),
  })
  expect(call).toMatchObject({ status_code: 'STATUS_CODE_ERROR', status_message: status.message })
  await closed.promise
})

test('a run that ends takes its hook with it', async () => {
  const leaving = new AbortController()
  silent.once('request', () => leaving.abort())
  const { status, call } = await posted(30_000, leaving.signal)
  expect([status.code, call?.status_code]).toEqual([499, 'STATUS_CODE_ERROR'])
})
