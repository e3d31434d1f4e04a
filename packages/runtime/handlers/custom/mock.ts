import type { Handler } from '../../handler.ts'
import { runMock } from '../../mock/mock-run.ts'

/** Responds without a model, for end-to-end tests. */
export const mock: Handler = {
  key: 'mock',
  kind: 'custom',
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
