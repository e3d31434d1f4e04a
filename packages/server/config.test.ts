import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  [
    'http://a htp://user:secret@b',
    'CLICKHOUSE_URLS: number 2 of 2 is not an address that starts with http:// or https://',
  ],
  ['http://user:secret@a,', 'CLICKHOUSE_URLS: number 2 of 2 is not an address that starts with http:// or https://'],
  [
    'user:secret@a user:secret@a',
    'CLICKHOUSE_URLS: number 1 of 2 is not an address that starts with http:// or https://',
  ],
  ['http://user:secret@a http://user:secret@a', 'CLICKHOUSE_URLS lists http://a twice'],
])('of shards at %s a start says what is wrong, without passwords', (urls, message) => {
  const env = { DATABASE_URL: 'postgres://a', NATS_URL: 'nats://a', CLICKHOUSE_URLS: urls }
  expect(() => readConfig(env)).toThrow(new Error(message))
})
