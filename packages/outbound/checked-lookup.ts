import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { OutboundError } from './outbound-error.ts'
import { isReservedAddress } from './outbound-url.ts'

/**
 * Looks a name up for a connection. All addresses that it leads to must be allowed, and the connection goes to one of
 * these, so that a second answer of the name server cannot lead elsewhere. Fails with `refused` otherwise.
 */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '')
    if (addresses.some(({ address }) => isReservedAddress(address))) {
      // Where a name of one's own network leads to is not told.
      const cause = new Error(`${hostname} leads to a private address`)
      return callback(new OutboundError('refused', 'The address cannot be reached', { cause }), '')
    }
    const [first] = addresses
    if (options.all || first === undefined) return callback(null, addresses)
    callback(null, first.address, first.family)
  })
}
