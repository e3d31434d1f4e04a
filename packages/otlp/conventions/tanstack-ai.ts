import { type Convention, rowsOf } from './convention.ts'

/** Only the span of a whole `chat()` has it, whose usage is that of its iterations. */
const ITERATIONS = 'tanstack.ai.iterations'

/** TanStack AI. For its attributes under `gen_ai.*` see `gen-ai.ts`. */
export const tanStackAi: Convention = {
  name: 'tanstack-ai',
  rows: [
    ...rowsOf({ [ITERATIONS]: 'type.span' }, () => 'task'),
    ...rowsOf({ 'tanstack.ai.tool.outcome': 'type.span' }, () => 'tool'),
  ],
  repeatsUsage: attributes => attributes.has(ITERATIONS),
}
