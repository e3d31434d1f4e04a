import type { Handler } from '../handler.ts'

/** A service of the user's own, called over HTTP. */
export const hook: Handler = {
  key: 'hook',
  kind: 'custom',
  version: 'v0',
  roles: ['application', 'evaluator'],
  template: {
    name: 'Custom Hook',
    description: 'Calls a service of your own over HTTP.',
    categories: [],
  },
}
