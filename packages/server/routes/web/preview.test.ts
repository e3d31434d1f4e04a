import { expect, test } from 'vitest'
import { previewOf } from './preview.ts'

const ENDS = 1_000
/** As the store returns a value: its JSON, or the two ends of it if that is long. */
const stored = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.length <= 2 * ENDS ? json : `${json.slice(0, ENDS)}\n${json.slice(-ENDS)}`
}

const long = 'hello '.repeat(400)
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(5_000)}` } }
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

test.each([
  ['a short message', user('hi'), /^hi$/],
  ['a long message', user(long), /^hello hello/],
  [
    'a long message after another',
    { messages: [{ role: 'system', content: 'Be short.' }, ...user(long).messages] },
    /^hello/,
  ],
  ['the newest of many messages', { messages: [...user(long).messages, ...user('and now?').messages] }, /^and now\?$/],
  [
    'a part with text before a small image',
    user([
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url: 'x' } },
    ]),
    /^what is this\?$/,
  ],
  ['a part with text before a large image', user([{ type: 'text', text: 'what is this?' }, image]), /^what is this\?$/],
  ['a part with text after a large image', user([image, { type: 'text', text: 'what is this?' }]), /^what is this\?$/],
  ['a message as JSON text', JSON.stringify({ role: 'assistant', content: 'fine' }), /^fine$/],
  ['a long message as JSON text', JSON.stringify({ role: 'assistant', content: long }), /^hello/],
  ['text that only looks like JSON', '{"role":', /^\{"role":$/],
  ['long text', long, /^hello/],
  ['a long object without messages', { question: long, k: 1 }, /^hello/],
])('the preview of %s', (_, value, expected) => {
  const preview = previewOf(stored(value))
  expect(preview).toMatch(expected)
  expect(preview?.length).toBeLessThan(302)
})
