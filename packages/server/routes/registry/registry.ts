import { KIND_LIST } from '@spanhouse/registry'
import type { FastifyInstance } from 'fastify'
import { addArtifactRoutes } from './artifacts.ts'
import { addResolveRoute } from './embeds.ts'
import type { Registry } from './endpoint.ts'
import { addRetrievalRoutes } from './retrieval.ts'
import { addRevisionRoutes } from './revisions.ts'
import { addSimpleRoutes } from './simple.ts'
import { addVariantRoutes } from './variants.ts'

/** Every kind of versioned record, with the same endpoints: what tells the kinds apart is in the registry's table. */
export function registryRoutes(registry: Registry): (app: FastifyInstance) => void {
  return app => {
    for (const kind of KIND_LIST) {
      const routes = { app, registry, kind }
      addArtifactRoutes(routes)
      addVariantRoutes(routes)
      addRevisionRoutes(routes)
      addRetrievalRoutes(routes)
      addResolveRoute(routes)
      addSimpleRoutes(routes)
    }
  }
}
