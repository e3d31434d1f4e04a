import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { toSecretJson } from './secret-json.ts'

const row = {
  id: '1',
  project_id: '2',
  slug: null,
  kind: 'custom_secret',
  name: null,
  description: null,
  created_at: '2026-11-22T00:00:00Z',
  updated_at: null,
  created_by_id: null,
  updated_by_id: null,
  sealed: '',
  key_id: '',
} as Parameters<typeof toSecretJson>[0]

test('a secret stored before depth was bounded is masked, and hides what is beyond the bound', () => {
  let deep: JsonObject = { key: 'k', note: 'hidden' }
  for (let level = 0; level < 20_000; level++) deep = level % 2 ? { a: deep } : { a: [deep] }
  const { data } = toSecretJson(row, { extras: deep, key: 'k', url: 'u' }, true)
  expect(data).toMatchObject({ key: '********', url: 'u' })
  const text = JSON.stringify(data)
  expect(text).toContain('"********"}')
  expect(text).not.toContain('hidden')
})

test('every text in extras is masked, whatever its name', () => {
  const extras = { region: 'eu', default_headers: { Cookie: 'c', all: ['d', 1] }, size: 2, on: true, none: null }
  const data = { provider: { key: 'k', url: 'u', extras }, models: [{ slug: 'm', extras: { a: 'b' } }] }
  const MASK = '********'
  expect(toSecretJson(row, data, true).data).toEqual({
    provider: {
      key: MASK,
      url: 'u',
      extras: { region: MASK, default_headers: { Cookie: MASK, all: [MASK, 1] }, size: 2, on: true, none: null },
    },
    models: [{ slug: 'm', extras: { a: MASK } }],
  })
})
