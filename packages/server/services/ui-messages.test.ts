import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { toModelMessages } from './ui-messages.ts'

const text = (said: string) => ({ type: 'text', text: said })
const step = { type: 'step-start' }
const tool = (toolCallId: string, more: JsonObject) => ({ type: 'tool-look', toolCallId, input: {}, ...more })
const calling = (...ids: string[]) => ({
  role: 'assistant',
  tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
})
const result = (tool_call_id: string, content: string) => ({ role: 'tool', tool_call_id, content })

test.each<[string, JsonObject[], JsonObject[]]>([
  ['nothing', [], [{ role: 'assistant', content: '' }]],
  ['texts', [step, text('a'), text('b')], [{ role: 'assistant', content: 'ab' }]],
  ['a call in progress', [step, tool('1', {})], [calling('1')]],
  ['null as a result', [step, tool('1', { state: 'output-available', output: null })], [calling('1'), result('1', '')]],
  ['no result', [step, tool('1', { state: 'output-available' })], [calling('1'), result('1', '')]],
  ['a denied call', [step, tool('1', { state: 'output-denied' })], [calling('1'), result('1', 'The call was denied.')]],
  [
    'what is said with the result',
    [step, text('a'), tool('1', { output: 'x' }), tool('2', { errorText: 'y' }), step, text('b')],
    [
      { ...calling('1', '2'), content: 'a' },
      ...[result('1', 'x'), result('2', 'y')],
      { role: 'assistant', content: 'b' },
    ],
  ],
  [
    'a call after another, in one step',
    [tool('1', { output: 'x' }), text('a'), tool('2', { output: 'y' })],
    [calling('1'), result('1', 'x'), { ...calling('2'), content: 'a' }, result('2', 'y')],
  ],
])('of a message of a user interface: %s', (_, parts, messages) => {
  expect(toModelMessages([{ id: 'm', role: 'assistant', parts }])).toEqual(messages)
})
