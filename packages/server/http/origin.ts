import type { FastifyRequest } from 'fastify'

/**
 * Scheme and host under which the caller reached this server, for links. It is the caller's own word, so such links are
 * only ever answered to that caller.
 */
export const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`
