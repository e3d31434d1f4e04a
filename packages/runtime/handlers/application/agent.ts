import type { Handler } from '../../handler.ts'
import { RunError } from '../../run-error.ts'
import { MESSAGES, open, typed } from '../../schema/schema-parts.ts'

/** An agent with instructions, tools and skills, run by a harness. */
export const agent: Handler = {
  key: 'agent',
  kind: 'builtin',
  roles: ['application'],
  isStreaming: true,
  schemas: {
    parameters: open({ agent: typed('agent-template', 'The agent.') }),
    inputs: open({ messages: MESSAGES }),
    outputs: open({ messages: MESSAGES, stop_reason: { type: 'string' }, pending_interaction: { type: 'object' } }, [
      'messages',
    ]),
  },
  template: {
    name: 'agent',
    description: 'An agent that works towards an answer with tools and skills.',
    categories: ['builtin'],
    parameters: {
      agent: {
        instructions: { agents_md: 'You are a helpful assistant.' },
        llm: { model: 'gpt-4o-mini', provider: 'openai' },
        tools: [],
        mcps: [],
        skills: [],
        harness: { kind: 'pi_core' },
        runner: { kind: 'sidecar', permissions: { default: 'ask' } },
        sandbox: { kind: 'local' },
      },
    },
  },
  run: () => {
    throw new RunError(501, 'v0:workflows:agent-not-implemented', 'This server has no runner for agents.')
  },
}
