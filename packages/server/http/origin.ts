import type { FastifyRequest } from 'fastify'

/**
 * The scheme and host under which the caller reached this server, for links. The caller supplies them, so such links
 * are only returned to the same caller.
 */
export const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`
