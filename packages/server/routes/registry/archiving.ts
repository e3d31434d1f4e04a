import type { ProjectPrincipal } from '@spanhouse/access'
import type { Scope } from '@spanhouse/registry'
import { ignoredBody, uuid, z } from '@spanhouse/validation'
import { addKindEndpoint, type KindRoutes } from './endpoint.ts'

/** What is archived: a path that ends in the parameter `id`, and what the two endpoints say and do. */
interface Archiving {
  path: string
  /** The name of the parameter: `workflow_variant_id`. */
  id: string
  answer: z.ZodType
  summaries: { archive: string; unarchive: string }
  /** Returns the response. */
  set(call: { scope: Scope; principal: ProjectPrincipal }, id: string, isArchived: boolean): Promise<unknown>
}

/** `POST …/archive` and `POST …/unarchive`. */
export function addArchiveRoutes(routes: KindRoutes, { path, id, answer, summaries, set }: Archiving): void {
  for (const verb of ['archive', 'unarchive'] as const)
    addKindEndpoint(routes, {
      method: 'POST',
      path: `${path}/:${id}/${verb}`,
      permission: routes.kind.permissions.edit,
      answer,
      params: z.object({ [id]: uuid }),
      body: ignoredBody,
      summary: summaries[verb],
      handle: ({ scope, principal, params }) => set({ scope, principal }, params[id] as string, verb === 'archive'),
    })
}
