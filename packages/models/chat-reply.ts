import type { ToolCall } from './chat-request.ts'

/** A model's answer in the shape of an OpenAI message; empty members are absent, and `content` is then null. */
export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  refusal?: string
  reasoning_content?: string
  tool_calls?: ToolCall[]
}

/** Token counts, as far as the provider reports them. Tokens read from and written to a cache are part of `prompt`. */
export interface Usage {
  prompt: number
  completion: number
  total: number
  cache_read?: number
  cache_write?: number
  reasoning?: number
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

export interface ChatReply {
  message: AssistantMessage
  /** Absent if the provider does not report it. */
  usage?: Usage
  finishReason: FinishReason
  /** The model that answered, as the provider names it. */
  model: string
  timings: { firstTokenMs: number; totalMs: number }
}

/**
 * A piece of the answer as it arrives. A tool call starts with its name; its arguments follow in parts of their JSON
 * text.
 */
export type ChatEvent =
  | { type: 'text' | 'refusal' | 'reasoning'; delta: string }
  | { type: 'tool_call'; index: number; id: string; name: string }
  | { type: 'tool_arguments'; index: number; delta: string }
