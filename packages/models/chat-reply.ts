import type { ToolCall } from './chat-request.ts'

/** What a model said, in the shape of an OpenAI message; members that would be empty are absent, `content` is null then. */
export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  refusal?: string
  reasoning_content?: string
  tool_calls?: ToolCall[]
}

/** Tokens, as far as the provider counts them. What was read from and written to a cache is part of `prompt`. */
export interface Usage {
  prompt: number
  completion: number
  total: number
  cache_read?: number
  cache_write?: number
  reasoning?: number
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other'

export interface ChatReply {
  message: AssistantMessage
  /** Absent when the provider tells nothing. */
  usage?: Usage
  finishReason: FinishReason
  /** The model that answered, as the provider names it. */
  model: string
  timings: { firstTokenMs: number; totalMs: number }
}

/** A piece of the answer as it arrives. A call of a tool begins with its name; its arguments follow in parts of their JSON text. */
export type ChatEvent =
  | { type: 'text' | 'refusal' | 'reasoning'; delta: string }
  | { type: 'tool_call'; index: number; id: string; name: string }
  | { type: 'tool_arguments'; index: number; delta: string }
