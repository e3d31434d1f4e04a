import { expect, test } from 'vitest'
import { negotiate, type Wanted } from './negotiate.ts'

const said = (wanted: Partial<Wanted>): string => {
  const found = negotiate({ accept: undefined, stream: undefined, isStreaming: true, ...wanted })
  return 'form' in found ? `${found.form}${found.isStreamed ? ' streamed' : ''}` : '406'
}

test.each<[string | undefined, string, string, string, string]>([
  // Accept, no flag, stream: true, stream: false, a handler without events.
  [undefined, 'json', 'ndjson streamed', 'json', 'json'],
  ['*/*', 'json', 'ndjson streamed', 'json', 'json'],
  ['application/*', 'json', 'ndjson streamed', 'json', 'json'],
  ['text/html', 'json', 'ndjson streamed', 'json', 'json'],
  ['application/json', 'json', '406', 'json', 'json'],
  ['application/json, text/plain, */*', 'json', 'ndjson streamed', 'json', 'json'],
  ['text/event-stream', 'sse streamed', 'sse streamed', 'sse', 'sse'],
  ['text/*', 'sse streamed', 'sse streamed', 'sse', 'sse'],
  ['application/x-ndjson', 'ndjson streamed', 'ndjson streamed', 'ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson streamed', 'ndjson streamed', 'ndjson', 'ndjson'],
  ['application/json, text/event-stream', 'json', 'sse streamed', 'json', 'json'],
  ['application/json;q=0.5, text/event-stream', 'sse streamed', 'sse streamed', 'sse', 'sse'],
  ['text/event-stream;q=0, application/json', 'json', '406', 'json', 'json'],
  ['*/*;q=0', '406', '406', '406', '406'],
  ['text/html, application/json;q=0', 'ndjson streamed', 'ndjson streamed', 'ndjson', 'ndjson'],
  ['TEXT/EVENT-STREAM', 'sse streamed', 'sse streamed', 'sse', 'sse'],
])('Accept: %s', (accept, silent, streamed, batch, plain) => {
  expect([
    said({ accept }),
    said({ accept, stream: true }),
    said({ accept, stream: false }),
    said({ accept, isStreaming: false }),
  ]).toEqual([silent, streamed, batch, plain])
})

test('the stream for user interfaces is asked for by a header of its own', () => {
  expect(said({ accept: 'text/event-stream', messagesFormat: 'vercel' })).toBe('vercel streamed')
  expect(said({ accept: 'application/json', messagesFormat: 'vercel' })).toBe('json')
})
