export { findTemplate, listTemplates, type PresetRecord, type TemplateRecord } from './catalogue.ts'
export { ERROR_TYPES, type ErrorType } from './error-types.ts'
export type { Handler, Role, Schemas } from './handler.ts'
export { HANDLERS, handlerOf } from './handlers.ts'
export { HARNESSES, type Harness } from './harnesses.ts'
export { type Invocation, type InvokeOptions, invoke, type RunContext, type RunResult } from './invocation/invoke.ts'
export { RUN_MS_MAX } from './invocation/limits.ts'
export { type RunStatus, SUCCESS, statusOf, UNKNOWN_ERROR } from './invocation/run-failure.ts'
export { effectiveInputs, type RunRequest } from './invocation/run-request.ts'
export type { RunSpan, RunTrace, SpanNotes, SpanStart } from './invocation/run-trace.ts'
export { type LegacyTemplate, listLegacyTemplates } from './legacy-templates.ts'
export { valueAtPath } from './path.ts'
export * from './revision-data.ts'
export * from './revision-flags.ts'
export { handlerUriOf, shownRevisionData, webAddressOf } from './revision-url.ts'
export * from './run.ts'
export { type ErrorDetails, type FailureCategory, misfit, missing, RunError } from './run-error.ts'
export { validateAgainst } from './schema/validate-against.ts'
export { answerQuestions } from './threads/answer-questions.ts'
export { Ended, ThreadPool } from './threads/thread-pool.ts'
export { type CatalogueType, TYPES } from './types.ts'
export {
  type HandlerUri,
  INTERFACE_PREFIX,
  isCallableUrl,
  isManaged,
  isWebAddress,
  parseHandlerUri,
  type RuntimeSettings,
} from './uri.ts'
export { workMeans } from './work/work-threads.ts'
