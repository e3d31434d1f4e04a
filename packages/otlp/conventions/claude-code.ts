import { type Convention, lookedAt } from './convention.ts'

const OUTPUT = 'tool.output'

/** What Claude Code, and so Claude's agent SDK, sends beside attributes under `gen_ai.*`, for which see `gen-ai.ts`. */
export const claudeCode: Convention = {
  name: 'claude-code',
  rows: lookedAt('user_prompt', 'tool_name'),
  eventPrefix: OUTPUT,
  complete(found, { attributes, events }) {
    const type = attributes.get('span.type')
    const prompt = attributes.get('user_prompt')
    if (type === 'interaction' && typeof prompt === 'string')
      found.set('data.inputs.prompt', [{ role: 'user', content: prompt }])
    const output = type === 'tool' ? events.find(({ name }) => name === OUTPUT)?.attributes?.output : undefined
    if (output !== undefined && output !== null) found.set('data.outputs', output)
  },
}
