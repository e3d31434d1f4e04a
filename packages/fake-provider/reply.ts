import { answerTo } from './answers.ts'
import type { Asked } from './asked.ts'
import type { Behaviour } from './behaviour.ts'
import { exampleOf } from './example.ts'

export interface ToolCall {
  id: string
  name: string
  /** JSON text. */
  arguments: string
}

/** The model's answer, whichever interface carries it. */
export interface Reply {
  text: string
  reasoning: string
  refusal: string
  toolCalls: ToolCall[]
  finish: 'stop' | 'length' | 'tool_calls'
  usage: { prompt: number; completion: number; cached: number }
}

/** Stands for the time at which its chunk is sent, in milliseconds since 1970. */
export const NOW = '{now}'

const CLOCK_WORDS = 20

/** Texts of these behaviours, by name. */
const TEXTS: Readonly<Record<string, (asked: Asked, behaviour: Behaviour) => string>> = {
  echo: ({ question }) => question,
  fixed: () => 'This answer is always the same.',
  huge: (_, { amount }) => 'x'.repeat((amount ?? 20) * 1024 * 1024),
  empty: () => '',
  clock: () => ` ${NOW}`.repeat(CLOCK_WORDS),
  slow: ({ question }) => `Slowly now: ${question} One word after the other, until all of them are there.`,
}

/** The same request always gets the same reply. */
export function replyTo(asked: Asked, behaviour: Behaviour): Reply {
  const toolCalls = toolCallsOf(asked, behaviour)
  const isRefused = behaviour.name === 'refusal'
  const text = isRefused || toolCalls.length > 0 ? '' : textOf(asked, behaviour)
  const reasoning = behaviour.name === 'reasoning' ? `The question is: ${asked.question}` : ''
  const said = text + reasoning + toolCalls.map(call => call.arguments).join('')
  return {
    text,
    reasoning,
    refusal: isRefused ? 'I cannot help with that.' : '',
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool_calls' : behaviour.name === 'length' ? 'length' : 'stop',
    usage: { prompt: tokensOf(asked.prompt), completion: tokensOf(said), cached: behaviour.name === 'cached' ? 1 : 0 },
  }
}

function textOf(asked: Asked, behaviour: Behaviour): string {
  const scripted = TEXTS[behaviour.name]
  if (scripted !== undefined) return scripted(asked, behaviour)
  if (asked.schema !== undefined) return JSON.stringify(exampleOf(asked.schema, asked.question))
  return answerTo(asked)
}

/** A tool is called if required, and if the question contains a word of its name; never twice in a row. */
function toolCallsOf({ tools, toolChoice, isToolResult, question }: Asked, { name }: Behaviour): ToolCall[] {
  if (toolChoice === 'none' || tools.length === 0) return []
  const isForced = toolChoice !== 'auto' || name === 'tool'
  if (isToolResult && !isForced) return []
  const words = new Set(wordsOf(question))
  const matching = tools.find(tool => wordsOf(tool.name).some(word => words.has(word)))
  const chosen = tools.find(tool => tool.name === toolChoice) ?? matching ?? (isForced ? tools[0] : undefined)
  if (chosen === undefined) return []
  const id = `call_${tokensOf(question)}_${chosen.name}`
  return [{ id, name: chosen.name, arguments: JSON.stringify(exampleOf(chosen.parameters ?? NO_PARAMETERS, question)) }]
}

const NO_PARAMETERS = { type: 'object' }

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? []

/** Approximately a tokenizer's count. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4)
