export { findTemplate, listTemplates, type TemplateRecord } from './catalogue.ts'
export { ERROR_TYPES } from './error-types.ts'
export type { Handler, Role } from './handler.ts'
export { HANDLERS, handlerOf } from './handlers.ts'
export { HARNESSES } from './harnesses.ts'
export { type Invocation, invoke, type RunContext, type RunResult } from './invocation/invoke.ts'
export { RUN_MS_MAX } from './invocation/limits.ts'
export { type RunStatus, statusOf, UNKNOWN_ERROR } from './invocation/run-failure.ts'
export { effectiveInputs, type RunRequest } from './invocation/run-request.ts'
export type { RunSpan, SpanStart } from './invocation/run-trace.ts'
export { listLegacyTemplates } from './legacy-templates.ts'
export { valueAtPath } from './path.ts'
export * from './revision-data.ts'
export * from './revision-flags.ts'
export { handlerUriOf, shownRevisionData, webAddressOf } from './revision-url.ts'
export * from './run.ts'
export { misfit, RunError } from './run-error.ts'
export { validateAgainst } from './schema/validate-against.ts'
export { answerQuestions } from './threads/answer-questions.ts'
export { Ended, ThreadPool } from './threads/thread-pool.ts'
export { TYPES } from './types.ts'
export {
  HANDLER_VERSION,
  INTERFACE_PREFIX,
  isCallableUrl,
  isManaged,
  managedUri,
  type RuntimeSettings,
} from './uri.ts'
export { workMeans } from './work/work-threads.ts'
