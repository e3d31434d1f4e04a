import { renderJson, type Uuid } from '@spanhouse/model'
import { listOf } from '@spanhouse/postgres'
import { expect, test } from 'vitest'
import { HeldAnswer } from './answer-room.ts'
import { manyRead } from './envelopes.ts'

test('a list has, and counts, what is still there when it is read', async () => {
  const rows = ['a', 'b', 'c', 'd'].map(id => ({ id: id as Uuid }))
  const list = listOf(
    rows.map(row => ({ ...row, bytes: 1 })),
    async batch => rows.filter(({ id }) => id !== 'b' && batch.some(one => one.id === id)),
    { windowing: { next: 'd' }, batchRows: 2 },
  )
  const holder = new HeldAnswer(() => undefined)
  const text = Buffer.concat(await Array.fromAsync(renderJson(manyRead('rows', list, { holder, record: row => row }))))
  expect(JSON.parse(`${text}`)).toEqual({
    count: 3,
    rows: [{ id: 'a' }, { id: 'c' }, { id: 'd' }],
    windowing: { next: 'd' },
  })
})
