import type { FastifyInstance } from 'fastify'
import type { Evaluations } from './endpoint.ts'
import { addEntityRoutes } from './entities.ts'
import { addOnlineRoutes } from './online.ts'
import { addPeopleRoutes } from './people.ts'
import { addRunEventRoutes } from './run-events.ts'
import { addRunOperations } from './run-operations.ts'
import { addSimpleEvaluationRoutes } from './simple-evaluations.ts'
import { addSimpleQueueRoutes } from './simple-queues.ts'
import { addWorklistRoute } from './worklist.ts'

/** Everything under which evaluations are stored, read and started. */
export function evaluationRoutes(evaluations: Evaluations): (app: FastifyInstance) => void {
  return app => {
    const routes = { app, evaluations }
    addEntityRoutes(routes)
    addRunOperations(routes)
    addWorklistRoute(routes)
    addOnlineRoutes(routes)
    addPeopleRoutes(routes)
    addRunEventRoutes(routes)
    addSimpleEvaluationRoutes(routes)
    addSimpleQueueRoutes(routes)
  }
}
