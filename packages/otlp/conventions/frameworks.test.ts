import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { spanOf } from './drafts.testing.ts'
import { agOf } from './recognised.testing.ts'

const json = JSON.stringify
const QUESTION = { role: 'user', content: 'Rain?' }

describe('Sentry', () => {
  const chat = { 'gen_ai.operation.name': 'chat' }

  test.each<[string, JsonObject, JsonObject]>([
    ['texts', { 'gen_ai.response.text': '["It","rains."]' }, { content: 'It\nrains.' }],
    ['a text', { 'gen_ai.response.text': 'It rains.' }, { content: 'It rains.' }],
    [
      'calls of tools',
      { 'gen_ai.response.text': '[""]', 'gen_ai.response.tool_calls': '[{"id":"c1"}]' },
      { content: '', tool_calls: [{ id: 'c1' }] },
    ],
    [
      'items of a response',
      {
        'gen_ai.response.tool_calls': json([
          { type: 'message', content: [{ type: 'output_text', text: 'It rains.' }] },
          { type: 'function_call', name: 'weather' },
        ]),
      },
      { content: 'It rains.', tool_calls: [{ type: 'function_call', name: 'weather' }] },
    ],
  ])('outputs: %s', (_, sent, message) => {
    const { data } = agOf({ ...chat, ...sent })
    expect(data).toEqual({ outputs: { completion: [{ role: 'assistant', ...message }] } })
  })

  test('inputs', () => {
    const sent = {
      ...chat,
      'gen_ai.input.messages': 'Rain?',
      'gen_ai.request.available_tools': '[{"name":"weather"}]',
      'gen_ai.response.finish_reasons': '["stop"]',
    }
    expect(agOf(sent)).toMatchObject({
      meta: { response: { finish_reasons: ['stop'] } },
      data: { inputs: { prompt: [QUESTION], tools: [{ name: 'weather' }] } },
    })
  })

  test('messages that were cut are no question', () => {
    expect(agOf({ ...chat, 'gen_ai.input.messages': '[{"role":"us' }).data).toBeUndefined()
  })

  test('a tool', () => {
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' }
    const sent = { ...tool, 'gen_ai.tool.input': '{"city":"Bari"}', 'gen_ai.tool.output': 'sunny' }
    expect(agOf(sent).data).toEqual({ inputs: { name: 'weather', arguments: { city: 'Bari' } }, outputs: 'sunny' })
  })
})
