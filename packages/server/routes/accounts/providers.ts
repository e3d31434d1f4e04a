import { probeBody } from '@spanhouse/access'
import { outboundFetch } from '@spanhouse/outbound'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'
import { probeAnswer, probeProvider } from '../../providers/probe.ts'

/** Providers of models, as far as they are tried out before their credentials are stored. */
export function providerRoutes({ outbound }: Parts): (app: FastifyInstance) => void {
  const fetch = outboundFetch(outbound)
  return app => {
    app.addHook('onClose', fetch.close)
    addEndpoint(app, {
      method: 'POST',
      path: '/providers/probe',
      tag: 'secrets',
      permission: 'edit_secret',
      echo: false,
      share: 'probe',
      body: probeBody(outbound),
      answer: probeAnswer,
      summary: 'Tries out the credentials of a model provider, and stores nothing.',
      handle: ({ body }) => probeProvider(body, { rules: outbound, fetch }),
    })
  }
}
