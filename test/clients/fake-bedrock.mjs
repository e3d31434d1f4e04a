import { ANSWER, USAGE } from './fake-answer.mjs'
import { anthropicMessage } from './fake-anthropic.mjs'

const PATH = /^\/model\/([^/]+)\/(converse|invoke)$/

function converse({ messages, toolConfig }) {
  const isResult = messages.at(-1)?.content?.some(({ toolResult }) => toolResult)
  const isCall = toolConfig?.tools?.length > 0 && !isResult
  const block = isCall
    ? { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Bari' } } }
    : { text: ANSWER }
  return {
    output: { message: { role: 'assistant', content: [block] } },
    stopReason: isCall ? 'tool_use' : 'end_turn',
    usage: {
      inputTokens: USAGE.prompt,
      outputTokens: USAGE.completion,
      totalTokens: USAGE.prompt + USAGE.completion,
    },
    metrics: { latencyMs: 1 },
  }
}

/** What Amazon Bedrock responds to this path, for models of Anthropic; undefined for other APIs. */
export function bedrock(path, body) {
  const [, model, method] = PATH.exec(decodeURIComponent(path)) ?? []
  if (!model) return undefined
  return method === 'converse' ? converse(body) : anthropicMessage({ ...body, model })
}

export const bedrockModel = path => PATH.exec(decodeURIComponent(path))?.[1]
