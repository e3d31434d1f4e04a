import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Bytes, bytesIn, continued, messagesIn, newMessages, splitBytes } from './messages.ts'

const image = randomBytes(3_000).toString('base64')

test('of bytes in a long text only the size is shown, also where a range of it begins amid them', () => {
  expect(splitBytes(`{"text":"What is it?","url":"data:image/png;base64,${image}"}`)).toEqual([
    '{"text":"What is it?","url":"',
    { type: 'image/png', bytes: 3_000 },
    '"}',
  ])
  expect(splitBytes(`${image.slice(1_000)}","b":1}`)).toEqual([{ type: 'base64', bytes: 2_250 }, '","b":1}'])
})

test('bytes that go on in the next range are counted on', () => {
  const [, open] = splitBytes(`"data:image/png;base64,${image.slice(0, 2_000)}`)
  expect(open).toEqual({ type: 'image/png', bytes: 1_500, isOpen: true })
  const [more, none] = continued(open as Bytes, image.slice(2_000, 3_600))
  expect([more, none]).toEqual([{ type: 'image/png', bytes: 2_700, isOpen: true }, ''])
  expect(continued(more, `${image.slice(3_600)}"}`)).toEqual([{ type: 'image/png', bytes: 3_000 }, '"}'])
  expect(continued(more, '"}')).toEqual([{ type: 'image/png', bytes: 2_700 }, '"}'])
})

test('a text of bytes has letters of all kinds', () => {
  expect(bytesIn(image)).toEqual({ type: 'base64', bytes: 3_000 })
  expect(bytesIn('data:text/plain;base64,aaaa')).toEqual({ type: 'text/plain', bytes: 3 })
  for (const text of ['ACGT'.repeat(500), 'very-long-name-'.repeat(200)]) expect(bytesIn(text)).toBeUndefined()
})

test('other long texts are left as they are', () => {
  for (const text of ['y'.repeat(5_000), 'lorem ipsum '.repeat(500), `a/b-${'c'.repeat(2_000)}`])
    expect(splitBytes(text)).toEqual([text])
})

test('a message without a content says that it declines, or what it calls', () => {
  const answers = [
    { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
    { role: 'assistant', content: null, function_call: { name: 'search', arguments: '{"query":"Oslo"}' } },
  ]
  expect(messagesIn(answers)?.map(({ pieces }) => pieces)).toEqual([
    [{ kind: 'text', text: 'I cannot help with that.' }],
    [{ kind: 'call', name: 'search', args: { query: 'Oslo' } }],
  ])
})

test('what a model thought is not what it said, in all forms', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'x' },
    { type: 'text', text: 'No.' },
  ]
  const contents = [
    { message_content: { type: 'reasoning', text: 'Hm.' } },
    { message_content: { type: 'text', text: 'No.' } },
    { message_content: { type: 'tool_use' }, tool_call: { function: { name: 'search' } } },
  ]
  const answers = [
    { role: 'assistant', content: 'No.', thinking: 'Hm.' },
    { role: 'assistant', content },
    { role: 'assistant', content: 'No.', thinking: 'Hm.', contents },
  ]
  const said = [
    { kind: 'thought', text: 'Hm.' },
    { kind: 'text', text: 'No.' },
  ]
  expect(messagesIn(answers)?.map(({ pieces }) => pieces)).toEqual([said, said, said])
})

test('a content that was sent as a text of JSON is shown in its parts; other JSON is text', () => {
  const parts = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: 'http://example/a.png' } },
  ]
  const pieces = [
    { kind: 'text', text: 'What is it?' },
    { kind: 'file', what: 'image_url', source: 'http://example/a.png' },
  ]
  expect(messagesIn([{ role: 'user', content: JSON.stringify(parts) }])).toEqual([{ role: 'user', pieces }])
  for (const text of ['[{"type":"city"}]', '[{"type":"text"', '[]', '[{"a":1}]'])
    expect(messagesIn([{ role: 'user', content: text }])).toEqual([{ role: 'user', pieces: [{ kind: 'text', text }] }])
})

test('messages of LangChain, as its packages for JavaScript and Python write them', () => {
  const lc = (name: string, kwargs: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', name],
    kwargs,
  })
  const tool_calls = [{ name: 'weather', args: { city: 'Bari' }, id: 'c1', type: 'tool_call' }]
  const content = [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Bari' } },
  ]
  const said = [
    { role: 'user', pieces: [{ kind: 'text', text: 'Rain?' }] },
    {
      role: 'assistant',
      pieces: [
        { kind: 'text', text: 'I look.' },
        { kind: 'call', name: 'weather', args: { city: 'Bari' } },
      ],
    },
    { role: 'tool', pieces: [{ kind: 'text', text: 'sunny' }] },
  ]
  const inJavaScript = [
    lc('HumanMessage', { content: 'Rain?' }),
    lc('AIMessageChunk', { content, tool_calls }),
    lc('ToolMessage', { content: 'sunny', tool_call_id: 'c1' }),
  ]
  const inPython = [
    { type: 'human', content: 'Rain?' },
    { type: 'ai', content: 'I look.', tool_calls },
    { type: 'tool', content: 'sunny', tool_call_id: 'c1' },
  ]
  for (const messages of [inJavaScript, inPython]) expect(messagesIn({ messages })).toEqual(said)
  for (const other of [{ type: 'text', content: 'a' }, { type: 'human' }, lc('PromptTemplate', { content: 'a' })])
    expect(messagesIn(other)).toBeUndefined()
})

test('images are shown beside the text, as OpenInference and OpenTelemetry send them', () => {
  const url = 'data:image/png;base64,AAAA'
  const contents = [
    { message_content: { type: 'text', text: 'What is it?' } },
    { message_content: { type: 'image', image: { image: { url } } } },
  ]
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' },
  ]
  const questions = [
    { role: 'user', content: 'What is it?', contents },
    { role: 'user', content },
  ]
  const asked = (what: string) => [
    { kind: 'text', text: 'What is it?' },
    { kind: 'file', what, source: url },
  ]
  expect(messagesIn(questions)?.map(({ pieces }) => pieces)).toEqual([asked('image'), asked('blob')])
})

test('what is new in the input of a chat follows the last answer, and is never nothing', () => {
  const chat = (...roles: string[]) => roles.map(role => ({ role, pieces: [] }))
  const rolesOf = (...roles: string[]) => newMessages(chat(...roles)).map(({ role }) => role)
  expect(rolesOf('system', 'user', 'assistant', 'tool', 'user')).toEqual(['tool', 'user'])
  expect(rolesOf('user', 'assistant', 'user', 'assistant')).toEqual(['user', 'assistant'])
  expect(rolesOf('assistant')).toEqual(['assistant'])
})
