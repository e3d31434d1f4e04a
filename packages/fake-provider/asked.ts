/** A JSON Schema, as far as needed to generate examples. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
}

/** The content of a request, whichever interface it used. */
export interface Asked {
  model: string
  isStream: boolean
  /** Whether the usage follows the answer in a separate chunk. */
  isUsageApart?: boolean
  /** The texts of all messages, for counting. */
  prompt: string
  /** The text of the last message. */
  last: string
  /** The text of the last message of a user. */
  question: string
  /** Whether the last message is the result of a tool. */
  isToolResult: boolean
  /** A tool without parameters has none. */
  tools: { name: string; parameters?: Schema }[]
  /** `none`, `auto`, `required`, or the name of the tool to call. */
  toolChoice: string
  /** Whether the answer must be JSON; null: any form. */
  schema?: Schema | null
}

/** A request's body or a part of one; the caller controls all of it. */
// biome-ignore lint/suspicious/noExplicitAny: what is missing reads as undefined, and a wrong body may fail
export type Body = any

/** The text of a message's content: a text, or parts of which some have one. */
export function textOf(content: Body): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (typeof part === 'string' ? part : (part?.text ?? textOf(part?.content)))).join('')
}

/** The content of the messages of all three interfaces: each has a role and a content. */
export function readMessages(messages: Body[]): Pick<Asked, 'prompt' | 'last' | 'question' | 'isToolResult'> {
  const texts = messages.map(message => textOf(message?.content ?? message?.output))
  const last = messages.at(-1)
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && !isResult(content))
  return {
    prompt: texts.join('\n'),
    last: texts.at(-1) ?? '',
    question: texts[asked] ?? texts.at(-1) ?? '',
    isToolResult: last?.role === 'tool' || last?.type === 'function_call_output' || isResult(last?.content),
  }
}

const isResult = (content: Body): boolean =>
  Array.isArray(content) && content.some(part => part?.type === 'tool_result')
