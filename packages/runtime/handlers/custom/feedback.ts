import type { Handler } from '../../handler.ts'
import { RunError } from '../../run-error.ts'
import { closed } from '../../schema/schema-parts.ts'

/** Feedback by people. It cannot be run; its revisions hold the schema of the feedback. */
export const feedback: Handler = {
  key: 'feedback',
  kind: 'custom',
  roles: ['application', 'evaluator'],
  template: {
    name: 'Custom Feedback',
    description: 'Feedback that people give; its outputs schema defines the questions.',
    categories: [],
    presets: [
      {
        key: 'quality-rating',
        name: 'Quality Rating',
        description: 'One question: is it approved or not.',
        schemas: { outputs: closed({ approved: { type: 'boolean' } }, ['approved']) },
      },
    ],
  },
  run: () => {
    throw new RunError(400, 'v0:workflows:feedback-error', 'Feedback is given by people; it cannot be run.')
  },
}
