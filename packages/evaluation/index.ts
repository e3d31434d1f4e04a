export { findAgreement } from './agreement/agreement.ts'
export { RUN_CASES_MAX, readRunCases, runCases, SHOWN_REPEATS_MAX } from './cases/run-cases.ts'
export { summariseScores } from './cases/score-summaries.ts'
export { compareRuns, comparison } from './comparison/compare.ts'
export type * from './engine/doors.ts'
export { Engine } from './engine/engine.ts'
export { ENTITIES, type Entity } from './entities/entity.ts'
export { status } from './entities/fields.ts'
export { filterBody } from './entities/filters.ts'
export { listRows } from './entities/list.ts'
export type * from './entities/rows.ts'
export { findRow, findRows, recordOf } from './entities/select.ts'
export * from './execution/slice.ts'
export { startRun, stopRun } from './execution/start.ts'
export { deleteMetrics, newMetrics, writeMetrics } from './grid/metrics.ts'
export { refreshed, refreshMetrics } from './grid/refresh.ts'
export { deleteResults, newResult, writeResults } from './grid/results.ts'
export {
  addedScenarios,
  addScenarios,
  createScenarios,
  deleteScenarios,
  editScenarios,
  newScenario,
  removeScenarios,
  scenarioEdit,
} from './grid/scenarios.ts'
export { copyChanges, copyEverything } from './metrics/copy.ts'
export { createMetrics } from './metrics/refresh-places.ts'
export { explainTrace } from './online/explain.ts'
export { Online } from './online/online.ts'
export { newQueue, queueEdit } from './queues/queue-body.ts'
export { findQueueProgress, type QueueProgress } from './queues/queue-progress.ts'
export { createQueues, deleteQueues, editQueues, findDefaultQueue } from './queues/queues.ts'
export { listWorklist } from './queues/worklist.ts'
export { findProgress, isOver, type RunProgress } from './runs/progress.ts'
export { newRun, runEdit } from './runs/run-body.ts'
export { createRuns, deleteRuns, editRuns, setClosed } from './runs/runs.ts'
export * from './runs/shape.ts'
export type * from './scope.ts'
export {
  createEvaluation,
  createGroup,
  editEvaluation,
  evaluationEdit,
  evaluationRecord,
  newEvaluation,
} from './simple/evaluations.ts'
export { Rejected } from './simple/graph.ts'
export { newSimpleQueue, QUEUE_KINDS } from './simple/queue-body.ts'
export {
  addSources,
  createSimpleQueue,
  deleteSimpleQueues,
  findSimpleQueue,
  listSimpleQueues,
  simpleQueueRecord,
} from './simple/queues.ts'
