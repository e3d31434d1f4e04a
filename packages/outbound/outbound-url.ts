import { BlockList, isIP } from 'node:net'
import { z } from '@spanhouse/validation'

/** The addresses that callers may have this server call. */
export interface OutboundRules {
  /** Any address, including private networks, any port and plain http: for development and trusted networks. */
  isOpen: boolean
}

/**
 * IANA's IPv4 Special-Purpose Address Registry (RFC 6890 and its updates, as of 2025-05-27), and multicast. The whole
 * registry: its globally reachable entries, such as the relays of AS112, are not model providers either.
 */
const RESERVED_IPV4 = [
  '0.0.0.0/8', // this host on this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, metadata of clouds
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** The range from which all public IPv6 networks are allocated (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_IPV6 = '2000::/3'

/**
 * The part of that range in IANA's IPv6 Special-Purpose Address Registry (as of 2025-05-27). The rest of the registry
 * lies outside the range.
 */
const RESERVED_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

/** IPv4 addresses as shown by an IPv6-only network (RFC 6052): the last 32 bits are the IPv4 address. */
const NAT64_PREFIX = '64:ff9b::'

const NAT64 = blockList([`${NAT64_PREFIX}/96`])
const GLOBAL = blockList([GLOBAL_IPV6])
const RESERVED = blockList([...RESERVED_IPV4, ...RESERVED_IPV6, ...RESERVED_IPV4.map(inNat64)])

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/')
    list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

function inNat64(block: string): string {
  const [address, prefix] = block.split('/')
  return `${NAT64_PREFIX}${address}/${96 + Number(prefix)}`
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Whether an IP address is not that of a single public host: this machine, a private network, multicast or unassigned.
 * Of IPv6, only allocated ranges and IPv4 behind a NAT64 can be public: other forms that contain an IPv4 address
 * (`::ffff:`, `::ffff:0:`, 6to4, Teredo) are reserved, whatever that address.
 */
export function isReservedAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const family = familyOf(address)
  if (RESERVED.check(address, family)) return true
  return family === 'ipv6' && !GLOBAL.check(address, family) && !NAT64.check(address, family)
}

/** The ports of https: the standard one, and those that servers without the right to open it use. */
const PORTS = ['443', '4443', '8443', '9443']

/** Names that always resolve to the local machine. */
const OWN_NAME = /^(.+\.)?localhost(\.localdomain)?\.?$/i

/**
 * An address that the server calls on behalf of a caller: https on one of {@link PORTS}, without credentials, and not a
 * literal local or private address. What a name resolves to is checked when it is called.
 */
export const outboundUrl = (rules: OutboundRules) =>
  z.string().superRefine((text, context) => {
    const mistake = mistakeIn(text, rules)
    if (mistake !== null) context.addIssue(`Value error, ${mistake}`)
  })

/** What is wrong with an address, as in "must be an https address"; null if it may be called. */
export function mistakeIn(text: string, { isOpen }: OutboundRules): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && !(isOpen && url?.protocol === 'http:')) return 'must be an https address'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  if (isOpen) return null
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isReservedAddress(host) || OWN_NAME.test(host)) return 'must not be a private address'
  return PORTS.includes(url.port || '443') ? null : `must have one of the ports ${PORTS.join(', ')}`
}
