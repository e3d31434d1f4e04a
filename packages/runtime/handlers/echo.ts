import type { Handler } from '../handler.ts'
import { closed, open } from '../schema/schema-parts.ts'

/** Returns one of its inputs: tells whether a caller gets through. */
export const echo: Handler = {
  key: 'echo',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: closed({}), inputs: open({ aloha: {} }), outputs: closed({ got: {} }) },
  template: {
    name: 'Echo',
    description: 'Returns the input named aloha, to test a connection.',
    categories: ['builtin'],
    isArchived: true,
  },
  run: ({ inputs }) => ({ got: inputs?.aloha ?? null }),
}
