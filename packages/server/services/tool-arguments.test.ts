import { expect, test } from 'vitest'
import { toolArguments } from './tool-arguments.ts'

test.each([
  ['{"city":"Oslo"}', { city: 'Oslo' }],
  ['', ''],
  ['{"city":', '{"city":'],
  ['{"v":1e400}', '{"v":1e400}'],
])('%j', (text, value) => expect(toolArguments(text)).toEqual(value))
