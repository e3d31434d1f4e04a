import { uuid, z } from '@spanhouse/validation'
import { sendEvents } from '../../http/answer/server-sent-events.ts'
import { RunEvents } from '../../run-events/run-events.ts'
import { addEvaluationEndpoint, type EvaluationRoutes, permissionsOf } from './endpoint.ts'

/** The progress of a run while it works, as server-sent events. */
export function addRunEventRoutes(routes: EvaluationRoutes): void {
  const runs = new RunEvents()
  routes.app.addHook('preClose', async () => runs.close())
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: '/evaluations/runs/:run_id/events',
    tag: 'evaluations',
    permission: permissionsOf('runs').view,
    share: 'listen',
    params: z.object({ run_id: uuid }),
    answerTypes: ['text/event-stream'],
    summary:
      'Streams the progress of a run as server-sent events (`progress`, `state`, `end`) until it is over or the connection is closed.',
    handle: async call => {
      const { scope, params, request } = call
      return sendEvents(call, await runs.listen(scope, params.run_id, request.log))
    },
  })
}
