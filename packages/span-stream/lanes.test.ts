import { expect, test } from 'vitest'
import { type Lane, Pace } from './lanes.ts'

const sent = (span_count: number, bytes = 0, project_id = 'a') => ({
  project_id,
  span_count,
  body: { length: bytes } as Uint8Array,
})

test.each<[string, { span_count: number; bytes?: number; atMs: number }[], Lane[]]>([
  [
    'within its pace',
    Array.from({ length: 5 }, (_, at) => ({ span_count: 1_900, atMs: at * 1_000 })),
    Array(5).fill('prompt'),
  ],
  ['beyond it in spans', [0, 1, 2].map(atMs => ({ span_count: 1_000, atMs })), ['prompt', 'prompt', 'prompt']],
  ['far beyond it', [0, 1, 2, 3].map(atMs => ({ span_count: 1_500, atMs })), ['prompt', 'prompt', 'bulk', 'bulk']],
  [
    'beyond it in bytes',
    [0, 1, 2].map(atMs => ({ span_count: 1, bytes: 3 * 2 ** 20, atMs })),
    ['prompt', 'prompt', 'bulk'],
  ],
  [
    'a large message',
    [0, 100, 1_900, 2_500].map(atMs => ({ span_count: atMs === 0 ? 50_000 : 1, atMs })),
    ['prompt', 'bulk', 'bulk', 'prompt'],
  ],
])('%s', (_what, messages, lanes) => {
  const pace = new Pace()
  expect(messages.map(({ span_count, bytes, atMs }) => pace.laneOf(sent(span_count, bytes), atMs))).toEqual(lanes)
})

test('each project has a pace of its own', () => {
  const pace = new Pace()
  for (let message = 0; message < 10; message++) pace.laneOf(sent(1_000), 0)
  expect(pace.laneOf(sent(1), 0)).toBe('bulk')
  expect(pace.laneOf(sent(1, 0, 'b'), 0)).toBe('prompt')
})
