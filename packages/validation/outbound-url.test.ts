import { expect, test } from 'vitest'
import { outboundUrl } from './outbound-url.ts'

const isAllowed = (url: string, isOpen = false): boolean => outboundUrl({ isOpen }).safeParse(url).success

test.each([
  ...[
    'https://llm.example.org/v1',
    'https://8.8.8.8',
    'https://[2606:4700::1111]:8443/',
    'https://localhost.example.org',
  ],
  ...['https://172.32.0.1', 'https://[64:ff9b::8.8.8.8]/', 'https://[2002:808:808::1]/', 'https://[::ffff:8.8.8.8]/'],
])('%s may be called', url => expect(isAllowed(url)).toBe(true))

test.each([
  ...[
    'https://10.0.0.1',
    'https://127.1',
    'https://0.0.0.0',
    'https://100.100.100.200',
    'https://169.254.169.254/latest',
  ],
  ...[
    'https://172.31.255.255',
    'https://192.168.1.1',
    'https://224.0.0.1',
    'https://255.255.255.255',
    'https://0x7f.1',
  ],
  ...['https://[::1]/', 'https://[::]/', 'https://[::127.0.0.1]/', 'https://[::ffff:10.0.0.1]/', 'https://[fd00::1]'],
  ...['https://[fe80::1]', 'https://[ff02::1]', 'https://[64:ff9b::10.0.0.1]/', 'https://[2002:7f00:1::]/'],
  ...['https://[2002:a9fe:a9fe::1]/', 'https://localhost', 'https://LOCALHOST./', 'https://a.localhost:8443/'],
  'https://localhost.localdomain',
])('%s is private', url => {
  expect(isAllowed(url)).toBe(false)
  expect(isAllowed(url, true)).toBe(true)
})

test.each(['http://127.0.0.1:11434/v1', 'http://llm.example.org'])('%s only where everything is open', url => {
  expect([isAllowed(url), isAllowed(url, true)]).toEqual([false, true])
})

test.each(['ftp://a.example', 'https://user:word@a.example', 'a.example', ''])('%j never', url => {
  expect([isAllowed(url), isAllowed(url, true)]).toEqual([false, false])
})
