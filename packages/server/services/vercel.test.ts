import type { RunEvent } from '@spanhouse/runtime'
import { expect, test } from 'vitest'
import { VercelFraming } from './vercel.ts'

const call = (input: object, rawInput?: string): RunEvent => ({
  type: 'tool_call',
  data: { id: 'c', name: 'look', input: input as Record<string, string>, ...(rawInput !== undefined && { rawInput }) },
})
const result: RunEvent = { type: 'tool_result', data: { id: 'c', output: 'found' } }
const approval: RunEvent = {
  type: 'interaction_request',
  data: { id: 'a', kind: 'user_approval', payload: { toolCallId: 'c' } },
}
const error: RunEvent = { type: 'error', data: { message: 'broken' } }

const start = { type: 'tool-input-start', toolCallId: 'c', toolName: 'look' }
const available = (input: object) => ({ type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input })
const output = { type: 'tool-output-available', toolCallId: 'c', output: 'found' }

test.each<[string, RunEvent[], object[]]>([
  ['begun, then complete', [call({}), call({ q: 1 }, '{"q":1}')], [start, available({ q: 1 })]],
  ['complete at once', [call({ q: 1 }, '{"q":1}')], [start, available({ q: 1 })]],
  ['never said to be complete', [call({ q: 1 }), call({ q: 2 })], [start, available({ q: 2 })]],
  ['with a result', [call({ q: 1 }), result], [start, available({ q: 1 }), output]],
  ['complete, with a result', [call({}), call({ q: 1 }, ''), result], [start, available({ q: 1 }), output]],
  [
    'that needs an approval',
    [call({ q: 1 }), approval, result],
    [start, available({ q: 1 }), { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }, output],
  ],
  ['of a run that fails', [call({}), error], [start]],
])('a tool call %s', (_, events, parts) => {
  const framing = new VercelFraming({ trace_id: 't', span_id: 's', session_id: 'x' }, undefined)
  const text = `${events.map(event => framing.event(event)).join('')}${framing.end({ data: { outputs: {} } })}`
  const sent = text
    .split('\n\n')
    .filter(frame => frame.startsWith('data: {'))
    .map(frame => JSON.parse(frame.slice(6)))
  expect(sent.filter(part => part.type.startsWith('tool-'))).toEqual(parts)
})

test('the usage of a run is that of all its calls', () => {
  const usage = (data: { input?: number; output?: number; total?: number }): RunEvent => ({ type: 'usage', data })
  const framing = new VercelFraming({ trace_id: 't', span_id: 's', session_id: 'x' }, undefined)
  for (const data of [{ input: 3, output: 2, total: 5 }, {}, { input: 10, output: 1, total: 11 }])
    framing.event(usage(data))
  expect(framing.end({ data: { outputs: {} } })).toContain('"usage":{"input":13,"output":3,"total":16}')
})
