import type { Permission, ProjectPrincipal } from '@spanhouse/access'
import type { ReadEvents } from '@spanhouse/events'
import type { Database } from '@spanhouse/postgres'
import { KINDS, type Kind, type KindName, type Scope } from '@spanhouse/registry'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { Engine } from '@spanhouse/span-store'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { answerOfMany, answerOfOne } from '../../http/answer/envelopes.ts'
import { addEndpoint, type Call, type Endpoint, type Part } from '../../http/endpoint.ts'

/** What the registry's endpoints need from the program. */
export interface Registry {
  db: Database
  runtime: RuntimeSettings
  /** Runs saved queries. */
  engine?: Engine
  /** Told of reads. */
  readEvents?: ReadEvents
}

/** The caller, and the counter for the memory of the response. */
interface Caller extends Pick<Scope, 'holder'> {
  principal: ProjectPrincipal
}

/** The scope of a call: the caller's project and one kind of entity. */
export const scopeOf = ({ db, runtime }: Registry, kind: KindName, { principal, holder }: Caller): Scope => ({
  db,
  runtime,
  ...(holder && { holder }),
  kind: KINDS[kind],
  project_id: principal.project_id,
  user_id: principal.user_id,
  mayDeploy: principal.permissions.has('deploy_environments'),
})

/** The endpoints of one kind: where they are added, and their kind. */
export interface KindRoutes {
  app: FastifyInstance
  registry: Registry
  kind: Kind
}

type KindEndpoint<P, Q, B> = Omit<Endpoint<ProjectPrincipal, P, Q, B>, 'tag' | 'handle'> & {
  permission: Permission | readonly Permission[]
  handle(call: Call<ProjectPrincipal, P, Q, B> & { scope: Scope }): unknown
}

/** Adds an endpoint of a kind; its handler receives the scope. */
export function addKindEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  { app, registry, kind }: KindRoutes,
  endpoint: KindEndpoint<P, Q, B>,
): void {
  const handle = (call: Call<ProjectPrincipal, P, Q, B>): unknown =>
    endpoint.handle({ ...call, scope: scopeOf(registry, kind.name, call) })
  addEndpoint<P, Q, B>(app, { ...endpoint, tag: kind.plural, handle })
}

const record = z.looseObject({ id: z.string(), slug: z.string() })

/** Describes an answer with one entity, and one with many. */
export const oneAnswer = (name: string) => answerOfOne(name, record)
export const manyAnswer = (name: string) => answerOfMany(name, record)
