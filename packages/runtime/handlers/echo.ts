import type { Handler } from '../handler.ts'
import { closed, open } from '../schema/schema-parts.ts'

/** Returns one of its inputs: tells whether a caller gets through. */
export const echo: Handler = {
  key: 'echo',
  kind: 'builtin',
  version: 'v0',
  roles: ['evaluator'],
  schemas: { parameters: closed({}), inputs: open({ aloha: {} }), outputs: closed({ got: {} }) },
  template: {
    name: 'Echo',
    description: 'Returns the input called aloha, to try a connection.',
    categories: ['builtin'],
    isArchived: true,
  },
  run: ({ inputs }) => ({ got: inputs?.aloha ?? null }),
}
