import type { Handler, Role } from '../handler.ts'

const reserved = (key: string, role: Role): Handler => ({ key, kind: 'builtin', roles: [role] })

/** Instructions and files that agents take in: content, not a handler. */
export const skill: Handler = { ...reserved('skill', 'snippet'), isRunnable: false }

/** Names that evaluators have had; revisions may still carry them. */
export const prompt = reserved('prompt', 'evaluator')
export const human = reserved('human', 'evaluator')
