import type { FastifyRequest } from 'fastify'

/**
 * The scheme and host under which the caller reached this server, or the proxies before it, for links. The caller
 * supplies them, so such links are only returned to the same caller.
 */
export function originOf({ protocol, host, headers }: Pick<FastifyRequest, 'protocol' | 'host' | 'headers'>): string {
  const forwarded = { protocol: firstOf(headers['x-forwarded-proto']), host: firstOf(headers['x-forwarded-host']) }
  const scheme = /^https?$/.test(forwarded.protocol) ? forwarded.protocol : protocol
  return `${scheme}://${/^[\w.:[\]-]+$/.test(forwarded.host) ? forwarded.host : host}`
}

/** What the first of several proxies has written: each appends what it was told. */
const firstOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')[0]
    ?.trim() ?? ''
