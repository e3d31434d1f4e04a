import {
  createQueues,
  createRuns,
  createScenarios,
  deleteMetrics,
  deleteQueues,
  deleteResults,
  deleteRuns,
  deleteScenarios,
  ENTITIES,
  type Entity,
  type EntityName,
  editQueues,
  editRuns,
  editScenarios,
  filterBody,
  findRow,
  listRows,
  newMetrics,
  newQueue,
  newResult,
  newRun,
  newScenario,
  queueEdit,
  type RowOf,
  runEdit,
  type Scope,
  scenarioEdit,
  writeMetrics,
  writeResults,
} from '@spanhouse/evaluation'
import type { JsonObject, Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { requireSameId } from '../../http/ids.ts'
import {
  addEvaluationEndpoint,
  type EvaluationRoutes,
  manyListed,
  manyOf,
  manyRows,
  oneOf,
  oneRow,
  permissionsOf,
} from './endpoint.ts'
import { itemList, readItems } from './items.ts'

/** What can be done with an entity, and under which verbs. */
interface Operations<E extends EntityName> {
  /** Makes, or writes, what a list of bodies says. */
  create: { methods: readonly ('POST' | 'PUT' | 'PATCH')[]; schema: z.ZodType; summary: string }
  make(scope: Scope, bodies: never): Promise<RowOf[E][]>
  edit?: { schema: z.ZodObject<{ id: typeof uuid }>; change(scope: Scope, edits: never): Promise<RowOf[E][]> }
  /** Returns the ids of those that there were. */
  remove(scope: Scope, ids: readonly Uuid[]): Promise<Uuid[]>
  /** Deleting some answers all ids that were sent, as soon as one was there. */
  echoesIds?: boolean
  /** One is answered as a list of one. */
  isAlwaysList?: boolean
  /** Archived rows are listed only when the filter asks for them. */
  isArchivable?: boolean
}

const idsOf = (rows: readonly { id: Uuid }[]): Uuid[] => rows.map(({ id }) => id)
const UPSERT = ['POST', 'PUT', 'PATCH'] as const

const OPERATIONS: { [E in EntityName]: Operations<E> } = {
  runs: {
    create: { methods: ['POST'], schema: newRun, summary: 'Creates runs.' },
    make: createRuns,
    edit: { schema: runEdit, change: editRuns },
    remove: deleteRuns,
  },
  scenarios: {
    create: { methods: ['POST'], schema: newScenario, summary: 'Creates scenarios.' },
    make: createScenarios,
    edit: { schema: scenarioEdit, change: editScenarios },
    remove: deleteScenarios,
  },
  results: {
    create: {
      methods: UPSERT,
      schema: newResult,
      summary: 'Writes results; each replaces the stored one of its cell.',
    },
    make: writeResults,
    remove: async (scope, ids) => idsOf(await deleteResults(scope, ids)),
    echoesIds: true,
  },
  metrics: {
    create: {
      methods: UPSERT,
      schema: newMetrics,
      summary: 'Writes metrics; each replaces the stored ones of its run, scenario and bucket.',
    },
    make: writeMetrics,
    remove: async (scope, ids) => idsOf(await deleteMetrics(scope, ids)),
    isAlwaysList: true,
  },
  queues: {
    create: { methods: ['POST'], schema: newQueue, summary: 'Creates queues.' },
    make: createQueues,
    edit: { schema: queueEdit, change: editQueues },
    remove: deleteQueues,
    isArchivable: true,
  },
}

/** One entity with its endpoints. Two tables contain the differences between entities: this one and `ENTITIES`. */
interface Side<E extends EntityName> extends EvaluationRoutes {
  name: E
  entity: Entity
  operations: Operations<E>
  path: string
  /** The group in the OpenAPI document. */
  tag: string
  params: z.ZodObject
}

/** Runs, scenarios, results, metrics and queues: create, query, fetch, edit and delete, one and many. */
export function addEntityRoutes(routes: EvaluationRoutes): void {
  for (const name of Object.keys(ENTITIES) as EntityName[]) {
    const entity = ENTITIES[name]
    const side: Side<EntityName> = {
      ...routes,
      name,
      entity,
      operations: OPERATIONS[name] as Operations<EntityName>,
      path: `/evaluations/${name}`,
      tag: 'evaluations',
      params: z.object({ [entity.id]: uuid }),
    }
    addWrites(side)
    if (side.operations.edit) addEdits(side, side.operations.edit)
    addReads(side)
    addDeletes(side)
  }
}

const idIn = (params: object, { id }: Entity): Uuid => (params as Record<string, Uuid>)[id] as Uuid

function addWrites<E extends EntityName>(side: Side<E>): void {
  const { name, path, tag, operations } = side
  const { methods, schema, summary } = operations.create
  for (const method of methods)
    addEvaluationEndpoint(side, {
      method,
      path,
      tag,
      summary,
      permission: permissionsOf(name).edit,
      share: 'heavy',
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      body: z.object({ [name]: itemList(schema) }),
      answer: manyOf(name),
      handle: async ({ scope, body }) => {
        const bodies = await readItems(schema, name, body[name] as unknown[])
        return manyRows(name, await operations.make(scope, bodies as never))
      },
    })
}

function addEdits<E extends EntityName>(side: Side<E>, edit: NonNullable<Operations<E>['edit']>): void {
  const { name, entity, path, tag, params } = side
  const { schema, change } = edit
  const permission = permissionsOf(name).edit
  addEvaluationEndpoint(side, {
    method: 'PATCH',
    path,
    tag,
    permission,
    share: 'heavy',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    summary: `Edits ${name}: omitted members are kept; unknown ids are skipped.`,
    body: z.object({ [name]: list(schema) }),
    answer: manyOf(name),
    handle: async ({ scope, body }) => manyRows(name, await change(scope, body[name] as never)),
  })
  const single = z.object({ ...schema.shape, id: optional(uuid) })
  addEvaluationEndpoint(side, {
    method: 'PATCH',
    path: `${path}/:${entity.id}`,
    tag,
    permission,
    params,
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    summary: `Edits a ${entity.name}: omitted members are kept.`,
    body: z.object({ [entity.name]: single }),
    answer: oneOf(entity.name),
    handle: async ({ scope, params, body }) => {
      const id = idIn(params, entity)
      const sent = body[entity.name] as { id?: Uuid }
      requireSameId(entity.name, id, sent.id)
      const [row] = await change(scope, [{ ...sent, id }] as never)
      return oneRow(name, row)
    },
  })
}

function addReads<E extends EntityName>(side: Side<E>): void {
  const { name, entity, path, tag, params, operations } = side
  const permission = permissionsOf(name).view
  const archived = operations.isArchivable ? { include_archived: optional(z.boolean()) } : {}
  const filter = z.object({ ...filterBody(name).shape, ...archived })
  addEvaluationEndpoint(side, {
    method: 'POST',
    path: `${path}/query`,
    tag,
    permission,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    summary: `Lists ${name}, ${entity.order === 'descending' ? 'newest' : 'oldest'} first.`,
    body: z.object({ [entity.name]: optional(filter), windowing: optional(windowing) }),
    answer: manyOf(name),
    handle: async ({ scope, body, holder }) => {
      const { include_archived, ...given } = (body[entity.name] ?? {}) as JsonObject
      const where = operations.isArchivable && !include_archived ? [sql`t.deleted_at is null`] : []
      const query = { filter: given, windowing: body.windowing as z.output<typeof windowing> | undefined, where }
      return manyListed(name, await listRows(scope, name, query), { holder })
    },
  })
  addEvaluationEndpoint(side, {
    method: 'GET',
    path: `${path}/:${entity.id}`,
    tag,
    permission,
    params,
    summary: `Fetches ${operations.isAlwaysList ? name : `a ${entity.name}`}.`,
    answer: operations.isAlwaysList ? manyOf(name) : oneOf(entity.name),
    handle: async ({ scope, params }) => {
      const row = await findRow(scope, name, idIn(params, entity))
      return operations.isAlwaysList ? manyRows(name, row ? [row] : []) : oneRow(name, row)
    },
  })
}

function addDeletes<E extends EntityName>(side: Side<E>): void {
  const { name, entity, path, tag, params, operations } = side
  const permission = permissionsOf(name).edit
  const listed = z.object({ count: z.int(), [entity.ids]: z.array(z.string()) })
  addEvaluationEndpoint(side, {
    method: 'DELETE',
    path,
    tag,
    permission,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    summary: `Deletes ${name} permanently.`,
    body: z.object({ [entity.ids]: list(uuid) }),
    answer: listed,
    handle: async ({ scope, body }) => {
      const sent = body[entity.ids] as Uuid[]
      const gone = await operations.remove(scope, sent)
      const shown = operations.echoesIds && gone.length > 0 ? sent : gone
      return { count: shown.length, [entity.ids]: shown }
    },
  })
  addEvaluationEndpoint(side, {
    method: 'DELETE',
    path: `${path}/:${entity.id}`,
    tag,
    permission,
    params,
    summary: `Deletes ${operations.isAlwaysList ? `one row of ${name}` : `a ${entity.name}`} permanently.`,
    answer: operations.isAlwaysList ? listed : z.object({ count: z.int(), [entity.id]: z.string().optional() }),
    handle: async ({ scope, params }) => {
      const gone = await operations.remove(scope, [idIn(params, entity)])
      if (operations.isAlwaysList) return { count: gone.length, [entity.ids]: gone }
      return gone.length === 0 ? { count: 0 } : { count: 1, [entity.id]: gone[0] }
    },
  })
}
