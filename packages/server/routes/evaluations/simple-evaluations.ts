import type { Permission } from '@spanhouse/access'
import {
  addedScenarios,
  addedSteps,
  addScenarios,
  addSteps,
  createEvaluation,
  createGroup,
  deleteRuns,
  editEvaluation,
  evaluationEdit,
  evaluationRecord,
  filterBody,
  findRow,
  listRows,
  newEvaluation,
  newRepeats,
  newResult,
  populate,
  probe,
  processing,
  processSlice,
  prune,
  Rejected,
  type RunRow,
  refreshSlice,
  removedSteps,
  removeScenarios,
  removeSteps,
  type Scope,
  setClosed,
  setRepeats,
  slice,
  startRun,
  stopRun,
} from '@spanhouse/evaluation'
import type { Uuid } from '@spanhouse/model'
import { ignoredBody, list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { manyRead, one } from '../../http/answer/envelopes.ts'
import { requireSameId } from '../../http/ids.ts'
import {
  addEvaluationEndpoint,
  type EvaluationEndpoint,
  type EvaluationRoutes,
  manyListed,
  manyOf,
  manyRows,
  oneOf,
  oneRow,
  permissionsOf,
} from './endpoint.ts'
import { itemList, readItems } from './items.ts'

const tag = 'simple evaluations'
const path = '/simple/evaluations'
const { view, edit } = permissionsOf('runs')
const params = z.object({ evaluation_id: uuid })
const answer = oneOf('evaluation')

const shown = (row: RunRow | undefined): object => one('evaluation', row && evaluationRecord(row))

/** What is answered when a record cannot be made: a count of 0, and why. */
export async function orRejected(work: () => Promise<object>): Promise<object> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Rejected) return { count: 0, detail: error.detail }
    throw error
  }
}

/** Evaluations by the revisions they are made of: a run, seen from the outside. */
export function addSimpleEvaluationRoutes(routes: EvaluationRoutes): void {
  addRecords(routes)
  addVerbs(routes)
  addSlices(routes)
  addShape(routes)
}

function addRecords(routes: EvaluationRoutes): void {
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path,
    tag,
    permission: edit,
    share: 'heavy',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    answer: z.object({ ...answer.shape, evaluations: optional(z.array(z.looseObject({ id: z.string() }))) }),
    summary: 'Creates an evaluation from pinned revisions and starts it; with `data.subjects` one for each subject.',
    body: z.object({ evaluation: newEvaluation }),
    handle: ({ scope, body: { evaluation } }) =>
      orRejected(async () => {
        if (!evaluation.data?.subjects) return shown(await createEvaluation(scope, evaluation))
        const evaluations = (await createGroup(scope, evaluation)).map(evaluationRecord)
        return { count: evaluations.length, evaluations }
      }),
  })
  addEvaluationEndpoint(routes, {
    method: 'POST',
    path: `${path}/query`,
    tag,
    permission: view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    answer: manyOf('evaluations'),
    summary: 'Lists evaluations, newest first.',
    body: z.object({ evaluation: optional(filterBody('runs')), windowing: optional(windowing) }),
    handle: async ({ scope, body, holder }) => {
      const found = await listRows(scope, 'runs', {
        filter: body.evaluation,
        windowing: body.windowing,
        fullPageGoesOn: false,
      })
      return manyRead('evaluations', found, { holder, record: evaluationRecord })
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'GET',
    path: `${path}/:evaluation_id`,
    tag,
    permission: view,
    params,
    answer,
    summary: 'Fetches an evaluation.',
    handle: async ({ scope, params }) => shown(await findRow(scope, 'runs', params.evaluation_id)),
  })
  addEvaluationEndpoint(routes, {
    method: 'PATCH',
    path: `${path}/:evaluation_id`,
    tag,
    permission: edit,
    share: 'heavy',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    params,
    answer,
    summary: 'Rewrites the graph of an evaluation; an active one continues with the missing cells.',
    body: z.object({ evaluation: evaluationEdit }),
    handle: ({ scope, params, body }) => {
      requireSameId('evaluation', params.evaluation_id, body.evaluation.id)
      return orRejected(async () => shown(await editEvaluation(scope, params.evaluation_id, body.evaluation)))
    },
  })
  addEvaluationEndpoint(routes, {
    method: 'DELETE',
    path: `${path}/:evaluation_id`,
    tag,
    permission: edit,
    params,
    answer: z.object({ count: z.int(), evaluation_id: z.string().optional() }),
    summary: 'Deletes an evaluation with its scenarios, results, metrics and queues.',
    handle: async ({ scope, params }) => {
      const [evaluation_id] = await deleteRuns(scope, [params.evaluation_id])
      return evaluation_id ? { count: 1, evaluation_id } : { count: 0 }
    },
  })
}

type Operation<B> = Omit<
  EvaluationEndpoint<typeof params, undefined, B>,
  'method' | 'path' | 'tag' | 'params' | 'permission'
> & {
  /** Default: to edit runs. */
  permission?: Permission
}

/** `POST /simple/evaluations/{evaluation_id}/{name}`. */
function addOperation<B extends z.ZodType>(routes: EvaluationRoutes, name: string, operation: Operation<B>): void {
  addEvaluationEndpoint<typeof params, undefined, B>(routes, {
    permission: edit,
    ...operation,
    method: 'POST',
    path: `${path}/:evaluation_id/${name}`,
    tag,
    params,
  })
}

const VERBS: Record<string, { summary: string; act(scope: Scope, id: Uuid): Promise<RunRow | undefined> }> = {
  start: { summary: 'Starts an evaluation, or continues it with its missing cells.', act: startRun },
  stop: { summary: 'Stops an evaluation and aborts its calls.', act: stopRun },
  close: {
    summary: 'Locks an evaluation against changes.',
    act: async (scope, id) => (await setClosed(scope, [id], { isClosed: true }))[0],
  },
  open: {
    summary: 'Unlocks an evaluation.',
    act: async (scope, id) => (await setClosed(scope, [id], { isClosed: false }))[0],
  },
}

function addVerbs(routes: EvaluationRoutes): void {
  for (const [verb, { summary, act }] of Object.entries(VERBS))
    addOperation(routes, verb, {
      share: 'heavy',
      answer,
      summary,
      body: ignoredBody,
      handle: async ({ scope, params }) => shown(await act(scope, params.evaluation_id)),
    })
}

function addSlices(routes: EvaluationRoutes): void {
  addOperation(routes, 'populate', {
    share: 'heavy',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    answer: manyOf('results'),
    summary: 'Writes results of an evaluation.',
    body: z.object({ results: itemList(newResult) }),
    handle: async ({ scope, params, body }) => {
      const results = await readItems(newResult, 'results', body.results)
      return manyRows('results', await populate(scope, params.evaluation_id, results))
    },
  })
  addOperation(routes, 'probe', {
    permission: view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    answer: manyOf('results'),
    summary: 'Reads the results that a slice addresses.',
    body: slice,
    handle: async ({ scope, params, body, holder }) =>
      manyListed('results', await probe(scope, params.evaluation_id, body), { holder }),
  })
  addOperation(routes, 'process', {
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    status: 202,
    answer: z.null(),
    summary: 'Executes the missing cells of a slice, or all of them again; responds before they are done.',
    body: processing,
    handle: async ({ scope, params, body }) => {
      await processSlice(scope, params.evaluation_id, body)
      return null
    },
  })
  const ACTS = {
    prune: { act: prune, summary: 'Deletes the results that a slice addresses, and the metrics that counted them.' },
    refresh: { act: refreshSlice, summary: 'Computes the metrics of the scenarios that a slice addresses.' },
  }
  for (const [verb, { act, summary }] of Object.entries(ACTS))
    addOperation(routes, verb, {
      share: 'heavy',
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      status: 204,
      summary,
      body: slice,
      handle: ({ scope, params, body }) => act(scope, params.evaluation_id, body),
    })
}

function addShape(routes: EvaluationRoutes): void {
  addOperation(routes, 'scenarios/add', {
    share: 'heavy',
    answer: manyOf('scenarios'),
    summary: 'Adds scenarios without results.',
    body: addedScenarios,
    handle: async ({ scope, params, body }) =>
      manyRows('scenarios', (await addScenarios(scope, params.evaluation_id, body)) ?? []),
  })
  addOperation(routes, 'scenarios/remove', {
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    status: 204,
    summary: 'Removes scenarios with their results and metrics.',
    body: z.object({ scenario_ids: list(uuid) }),
    handle: ({ scope, params, body }) => removeScenarios(scope, params.evaluation_id, body.scenario_ids),
  })
  addOperation(routes, 'steps/add', {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    answer: oneOf('run'),
    summary: 'Adds steps whose keys are new.',
    body: addedSteps,
    handle: async ({ scope, params, body }) => oneRow('runs', await addSteps(scope, params.evaluation_id, body.steps)),
  })
  addOperation(routes, 'steps/remove', {
    answer: oneOf('run'),
    summary: 'Removes steps with their results, and the scenarios that have none left.',
    body: removedSteps,
    handle: async ({ scope, params, body }) =>
      oneRow('runs', await removeSteps(scope, params.evaluation_id, body.step_keys)),
  })
  addOperation(routes, 'repeats/set', {
    answer: oneOf('run'),
    summary: 'Sets how often steps are repeated, and deletes results beyond that.',
    body: newRepeats,
    handle: async ({ scope, params, body }) =>
      oneRow('runs', await setRepeats(scope, params.evaluation_id, body.repeats)),
  })
}
