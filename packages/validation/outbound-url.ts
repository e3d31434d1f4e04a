import { BlockList, isIP } from 'node:net'
import { z } from 'zod'

/** What callers may have this server call. */
export interface OutboundRules {
  /** Any address, its own network's too, and plain http: for development and for networks where everybody is trusted. */
  isOpen: boolean
}

type Family = 'ipv4' | 'ipv6'

/** IANA's special-purpose registries, as far as they lead to one's own machine or network, to many, or nowhere. */
const RESERVED_IPV4: readonly [address: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
const RESERVED_IPV6: readonly [address: string, prefix: number][] = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

const RESERVED = new BlockList()
for (const [address, prefix] of RESERVED_IPV6) RESERVED.addSubnet(address, prefix, 'ipv6')
for (const [address, prefix] of RESERVED_IPV4) {
  RESERVED.addSubnet(address, prefix, 'ipv4')
  // The same as they look behind a NAT64 and in 6to4. (`::ffff:` the list looks through by itself.)
  RESERVED.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6')
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  RESERVED.addSubnet(`2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::`, 16 + prefix, 'ipv6')
}

/** Whether an IP address leads to one's own machine or network, or to nobody in particular. */
export function isReservedAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && RESERVED.check(address, `ipv${version}` as Family)
}

/** Names that lead to one's own machine wherever they are looked up. */
const OWN_NAME = /^(.+\.)?localhost(\.localdomain)?\.?$/i

/**
 * An address that the server calls because a caller says so: https, without credentials, and not written as one's own
 * machine or network. What a name leads to is known only when it is called.
 */
export const outboundUrl = (rules: OutboundRules) =>
  z.string().superRefine((text, context) => {
    const mistake = mistakeIn(text, rules)
    if (mistake !== null) context.addIssue(`Value error, ${mistake}`)
  })

function mistakeIn(text: string, { isOpen }: OutboundRules): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && !(isOpen && url?.protocol === 'http:')) return 'must be an https address'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return !isOpen && (isReservedAddress(host) || OWN_NAME.test(host)) ? 'must not be a private address' : null
}
