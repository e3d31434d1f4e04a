import type { Permission, ProjectPrincipal } from '@spanhouse/access'
import {
  type Dispatcher,
  ENTITIES,
  type EntityName,
  type Metrics,
  type Online,
  type RowOf,
  recordOf,
  type Scope,
} from '@spanhouse/evaluation'
import { JsonList, type JsonObject } from '@spanhouse/model'
import type { Database, RowList } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { Engine } from '@spanhouse/span-store'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { answerOfMany, answerOfOne, manyRead, one } from '../../http/answer/envelopes.ts'
import { addEndpoint, type Call, type Endpoint, type Part } from '../../http/endpoint.ts'

/** What the endpoints of evaluations need of the program. */
export interface Evaluations {
  db: Database
  runtime: RuntimeSettings
  /** Hears of work for workers; they find it without. */
  dispatcher?: Dispatcher
  /** Computes metrics; without it whatever asks for that answers 501. */
  metrics?: Metrics
  /** Reads spans; without it agreement and explanations answer 501. */
  engine?: Engine
  /** Follows live runs, when this process does. */
  online?: Pick<Online, 'lookNow'>
}

/** Where a call acts: its own project. */
const scopeOf = (evaluations: Evaluations, { project_id, user_id }: ProjectPrincipal): Scope => ({
  ...evaluations,
  project_id,
  user_id,
})

/** Where endpoints are added, and what they act on. */
export interface EvaluationRoutes {
  app: FastifyInstance
  evaluations: Evaluations
}

/** An endpoint whose handler is given the scope to act in. */
export type EvaluationEndpoint<P, Q, B> = Omit<Endpoint<ProjectPrincipal, P, Q, B>, 'handle'> & {
  permission: Permission
  handle(call: Call<ProjectPrincipal, P, Q, B> & { scope: Scope }): unknown
}

export function addEvaluationEndpoint<
  P extends Part = undefined,
  Q extends Part = undefined,
  B extends Part = undefined,
>({ app, evaluations }: EvaluationRoutes, endpoint: EvaluationEndpoint<P, Q, B>): void {
  const handle = (call: Call<ProjectPrincipal, P, Q, B>): unknown =>
    endpoint.handle({ ...call, scope: scopeOf(evaluations, call.principal) })
  addEndpoint<P, Q, B>(app, { ...endpoint, handle })
}

/** The permissions to see an entity and to change it. */
export const permissionsOf = (name: EntityName) =>
  ({ view: `view_evaluation_${name}`, edit: `edit_evaluation_${name}` }) as const

const record = z.looseObject({ id: z.string() })

/** Describes an answer with one entity, and one with many. */
export const oneOf = (name: string) => answerOfOne(name, record)
export const manyOf = (name: string) => answerOfMany(name, record)

/** `{count, [name]}` of a row that may be missing. */
export const oneRow = <E extends EntityName>(name: E, row: RowOf[E] | undefined): JsonObject =>
  one(ENTITIES[name].name, row && recordOf(name, row))

/** `{count, [plural]}` of rows that are in memory; their records are made while they are sent. */
export const manyRows = <E extends EntityName>(name: E, rows: readonly RowOf[E][]): object => ({
  count: rows.length,
  [name]: new JsonList(rows.values().map(row => recordOf(name, row))),
})

/** `{count, [plural], windowing?}` of rows that are read while they are sent. */
export const manyListed = <E extends EntityName>(
  name: E,
  list: RowList<RowOf[E]>,
  { holder }: Pick<Call<unknown, undefined, undefined, undefined>, 'holder'>,
): object => manyRead(name, list, { holder, record: row => recordOf(name, row) })
