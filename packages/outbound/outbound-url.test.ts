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
  ...['https://172.32.0.1', 'https://[64:ff9b::8.8.8.8]/', 'https://[2a00:1450:4001:831::200e]/', 'https://192.0.1.1'],
  ...['https://[2001:200::1]', 'https://[3ffe::1]', 'https://[3fff:1000::1]', 'https://[2620:4f:8001::1]'],
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
  // IPv4 in other clothes.
  ...['https://[::ffff:0:10.0.0.1]', 'https://[::ffff:0:169.254.169.254]', 'https://[::ffff:0:8.8.8.8]'],
  ...['https://[2002:808:808::1]/', 'https://[::ffff:8.8.8.8]/', 'https://[::8.8.8.8]/', 'https://[2001:0:1::1]'],
  // The rest of the registries, at both ends of their blocks.
  ...[
    'https://192.0.0.255',
    'https://192.31.196.1',
    'https://192.52.193.1',
    'https://192.88.99.1',
    'https://192.175.48.1',
  ],
  ...['https://[64:ff9b:1::1]', 'https://[64:ff9b:1:ffff::1]', 'https://[100::1]', 'https://[100:0:0:1::1]'],
  ...['https://[2001:1ff:ffff::1]', 'https://[2001:db8::1]', 'https://[2620:4f:8000:ffff::1]'],
  ...['https://[3fff::1]', 'https://[3fff:fff:ffff::1]', 'https://[5f00::1]', 'https://[5f00:ffff::1]'],
  // What nobody has been given.
  ...['https://[fec0::1]', 'https://[4000::1]', 'https://[200::1]', 'https://[64:ff9a::1]', 'https://[e000::1]'],
])('%s is private', url => {
  expect(isAllowed(url)).toBe(false)
  expect(isAllowed(url, true)).toBe(true)
})

test.each(['http://127.0.0.1:11434/v1', 'http://llm.example.org'])('%s only where everything is open', url => {
  expect([isAllowed(url), isAllowed(url, true)]).toEqual([false, true])
})

test.each([
  ...['https://a.example:443', 'https://a.example:4443', 'https://a.example:8443/in', 'https://8.8.8.8:9443'],
  ...['https://[2606:4700::1111]', 'https://a.example:'],
])('%s has an allowed port', url => expect(isAllowed(url)).toBe(true))

test.each([
  ...['https://a.example:22', 'https://a.example:80', 'https://a.example:6379', 'https://a.example:4600'],
  ...['https://8.8.8.8:0', 'https://[2606:4700::1111]:9444'],
])('%s has another port, which only open rules allow', url => {
  expect(outboundUrl({ isOpen: false }).safeParse(url).error?.issues[0]?.message).toBe(
    'Value error, must have one of the ports 443, 4443, 8443, 9443',
  )
  expect(isAllowed(url, true)).toBe(true)
})

test.each(['ftp://a.example', 'https://user:word@a.example', 'a.example', ''])('%j never', url => {
  expect([isAllowed(url), isAllowed(url, true)]).toEqual([false, false])
})
