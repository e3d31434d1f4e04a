import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose registries, as far as they lead to one's own machine or network, or nowhere. */
const SUBNETS: readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
]

const PRIVATE = new BlockList()
for (const subnet of SUBNETS) PRIVATE.addSubnet(...subnet)

/** Whether a URL's host is written as such an address. What a name leads to is known only when it is called. */
export function isPrivateAddress(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const version = isIP(host)
  return version !== 0 && PRIVATE.check(host, version === 6 ? 'ipv6' : 'ipv4')
}
