import { expect, test } from 'vitest'
import { originOf } from './origin.ts'

const originWith = (headers: Record<string, string>): string =>
  originOf({ protocol: 'http', host: 'api:4600', headers })

test.each([
  ['no proxy', {}, 'http://api:4600'],
  ['a proxy that speaks TLS', { 'x-forwarded-proto': 'https' }, 'https://api:4600'],
  ['one that sends another host', { 'x-forwarded-host': 'spans.example.org:8443' }, 'http://spans.example.org:8443'],
  ['two', { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': '[::1]:80, inner' }, 'https://[::1]:80'],
  ['nonsense', { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a/b"@c' }, 'http://api:4600'],
])('links begin as the caller reached the server: %s', (_case, headers, origin) => {
  expect(originWith(headers as Record<string, string>)).toBe(origin)
})
