import type { Handler } from '../../handler.ts'
import { runMock } from '../../mock/mock-run.ts'

/** Answers without a model, for checks from end to end. */
export const mock: Handler = {
  key: 'mock',
  kind: 'custom',
  version: 'v0',
  roles: ['application', 'evaluator'],
  isStreaming: true,
  template: {
    name: 'Mock',
    description: 'Answers by a fixed rule instead of a model, for testing.',
    categories: ['custom'],
    isArchived: true,
  },
  run: runMock,
}
