import { KIND_LIST } from '@spanhouse/registry'
import type { FastifyInstance } from 'fastify'
import { addArtifactRoutes } from './artifacts.ts'
import { addResolveRoute } from './embeds.ts'
import type { Registry } from './endpoint.ts'
import { addRetrievalRoutes } from './retrieval.ts'
import { addRevisionRoutes } from './revisions.ts'
import { addSimpleRoutes } from './simple.ts'
import { addVariantRoutes } from './variants.ts'

/** All kinds of versioned entities with the same endpoints; the registry's table defines how the kinds differ. */
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
