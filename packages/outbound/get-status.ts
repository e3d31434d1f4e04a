import http from 'node:http'
import https from 'node:https'
import { checkedLookup } from './checked-lookup.ts'
import type { OutboundRules } from './outbound-url.ts'

/** For everything: finding the name, connecting, waiting for the answer. */
const TIMEOUT_MS = 10_000

/**
 * What a GET of an address is answered with; the body is not read and redirects are not followed. A name is looked up once:
 * all addresses it leads to must be allowed, and one of these is connected to. An address written as a number has been
 * checked by `outboundUrl`. Rejects with an error when nobody answers in time, or nobody that may be asked.
 */
export function getStatus(
  url: URL,
  headers: Record<string, string>,
  { isOpen }: OutboundRules,
): Promise<{ status: number; isJson: boolean }> {
  const { request } = url.protocol === 'https:' ? https : http
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const options = { headers, signal, agent: false, ...(!isOpen && { lookup: checkedLookup }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, response => {
      const { statusCode = 0, headers } = response
      resolve({ status: statusCode, isJson: headers['content-type']?.includes('json') ?? false })
      response.destroy()
    })
    sent.on('error', reject).end()
  })
}
