import type { Handler } from '../handler.ts'

/** Code of the user's own, run by Spanhouse. */
export const code: Handler = {
  key: 'code',
  kind: 'custom',
  version: 'v0',
  roles: ['application', 'evaluator'],
  template: {
    name: 'Custom Code',
    description: 'Runs a function of your own.',
    categories: [],
  },
}
