import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { splitBytes } from './messages.ts'

const image = randomBytes(3_000).toString('base64')

test('of bytes in a long text only the size is shown, also where a range of it begins amid them', () => {
  expect(splitBytes(`{"text":"What is it?","url":"data:image/png;base64,${image}"}`)).toEqual([
    '{"text":"What is it?","url":"',
    { type: 'image/png', bytes: 3_000 },
    '"}',
  ])
  expect(splitBytes(`${image.slice(1_000)}","b":1}`)).toEqual([{ type: 'base64', bytes: 2_250 }, '","b":1}'])
})

test('other long texts are left as they are', () => {
  for (const text of ['y'.repeat(5_000), 'lorem ipsum '.repeat(500), `a/b-${'c'.repeat(2_000)}`])
    expect(splitBytes(text)).toEqual([text])
})
