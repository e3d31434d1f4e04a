import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { OutboundError } from './outbound-error.ts'
import { isReservedAddress } from './outbound-url.ts'

/**
 * Resolves a host name for a connection. All its addresses must be allowed, and the connection goes to one of them, so
 * that a second answer from the name server cannot redirect it. Fails with `refused` otherwise.
 */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '')
    if (addresses.some(({ address }) => isReservedAddress(address))) {
      // What a name in the private network resolves to is not revealed.
      const cause = new Error(`${hostname} resolves to a private address`)
      return callback(new OutboundError('refused', 'The address cannot be reached', { cause }), '')
    }
    const [first] = addresses
    if (options.all || first === undefined) return callback(null, addresses)
    callback(null, first.address, first.family)
  })
}
