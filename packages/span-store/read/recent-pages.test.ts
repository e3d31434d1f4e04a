import { parseSpanQuery } from '@spanhouse/query'
import { expect, test } from 'vitest'
import { RecentPages, recentPageOf } from './recent-pages.ts'

const pageOf = (body: object, limit = 50) =>
  recentPageOf({ project_id: 'one', query: parseSpanQuery(body, 'span') }, limit)
const named = (name: string) => ({ filtering: { conditions: [{ field: 'span_name', operator: 'is', value: name }] } })

test('a page is known by its filter and its length', () => {
  expect(pageOf(named('a'))).toBe(pageOf({ ...named('a'), windowing: { oldest: '2026-02-03T09:00:00Z' } }))
  expect(pageOf(named('a'))).not.toBe(pageOf(named('b')))
  expect(pageOf(named('a'))).not.toBe(pageOf(named('a'), 20))
  expect(pageOf({})).not.toBe(pageOf(named('a')))
})

test('only pages that begin with the newest spans are known, and no long filters', () => {
  expect(pageOf({ windowing: { order: 'ascending' } })).toBeUndefined()
  expect(pageOf({ windowing: { newest: '2026-02-03T09:00:00Z' } })).toBeUndefined()
  expect(pageOf({ windowing: { rate: 0.5 } })).toBeUndefined()
  expect(pageOf(named('a'.repeat(5_000)))).toBeUndefined()
})

test('the pages that were used last are kept', () => {
  const pages = new RecentPages()
  for (let page = 0; page < 1_000; page++) pages.keep(`page ${page}`, page)
  pages.keep('page 0', 7)
  pages.keep('another', 8)
  expect(pages.endOf('page 0')).toBe(7)
  expect(pages.endOf('page 1')).toBeUndefined()
  expect(pages.endOf('page 2')).toBe(2)
  pages.forget('page 2')
  expect(pages.endOf('page 2')).toBeUndefined()
})
