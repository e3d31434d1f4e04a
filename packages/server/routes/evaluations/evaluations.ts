import type { FastifyInstance } from 'fastify'
import type { Evaluations } from './endpoint.ts'
import { addEntityRoutes } from './entities.ts'
import { addMoreRoutes } from './more.ts'
import { addOnlineRoutes } from './online.ts'
import { addPeopleRoutes } from './people.ts'
import { addRunEventRoutes } from './run-events.ts'
import { addSimpleEvaluationRoutes } from './simple-evaluations.ts'
import { addSimpleQueueRoutes } from './simple-queues.ts'

/** Everything under which evaluations are stored, read and started. */
export function evaluationRoutes(evaluations: Evaluations): (app: FastifyInstance) => void {
  return app => {
    const routes = { app, evaluations }
    addEntityRoutes(routes)
    addMoreRoutes(routes)
    addOnlineRoutes(routes)
    addPeopleRoutes(routes)
    addRunEventRoutes(routes)
    addSimpleEvaluationRoutes(routes)
    addSimpleQueueRoutes(routes)
  }
}
