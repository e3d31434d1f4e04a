import { expect, test } from 'vitest'
import { forgottenSettings, readConfig } from './config.ts'

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

test('a number of partitions is not ignored without a stream that has them', () => {
  const env = { SPANHOUSE_STREAM_PARTITIONS: '4' }
  expect(() => readConfig(env)).toThrow(new Error('SPANHOUSE_STREAM_PARTITIONS needs NATS_URL'))
  expect(readConfig({ ...env, NATS_URL: 'nats://a' }).streamPartitions).toBe(4)
})

const [DATABASE_URL, NATS_URL, CLICKHOUSE_URL] = ['postgres://a', 'nats://a', 'http://a']
test.each([
  [{}, []],
  [{ DATABASE_URL, NATS_URL, CLICKHOUSE_URL }, []],
  [{ DATABASE_URL, NATS_URL, CLICKHOUSE_URLS: 'http://a http://b' }, []],
  [
    { DATABASE_URL, NATS_URL, CLICKHOUSE_URL: ' ' },
    ['Without CLICKHOUSE_URL, this process keeps the spans in its own data folder'],
  ],
  [
    { DATABASE_URL },
    ['Without NATS_URL and CLICKHOUSE_URL, this process keeps the span stream and the spans in its own data folder'],
  ],
])('with %j the operator is told which stores are embedded beside them: %j', (env, warnings) => {
  expect(forgottenSettings(readConfig(env))).toEqual(warnings)
})

test.each([
  ['api', '', ['Without SPANHOUSE_SERVICES_URL, applications get an address at which this process serves no services']],
  ['api', 'https://services.example.org/services', []],
  ['api,services', '', []],
  ['writer', '', []],
])('with the roles %s and the address of services "%s" the operator is told %j', (roles, services, warnings) => {
  const env = { DATABASE_URL, NATS_URL, CLICKHOUSE_URL, SPANHOUSE_ROLES: roles, SPANHOUSE_SERVICES_URL: services }
  expect(forgottenSettings(readConfig(env))).toEqual(warnings)
})
