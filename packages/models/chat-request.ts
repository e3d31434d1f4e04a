/**
 * A message in the format of OpenAI's chat completions; members not listed here are sent to OpenAI-compatible
 * providers.
 */
export interface ChatMessage {
  role: string
  content?: string | readonly ContentPart[] | null
  name?: string
  refusal?: string | null
  tool_calls?: readonly ToolCall[] | null
  tool_call_id?: string
  [member: string]: unknown
}

export interface ContentPart {
  type: string
  [member: string]: unknown
}

export interface ToolCall {
  id: string
  type: string
  function: { name: string; arguments: string }
}

/** A tool in the format of OpenAI's interface: a function, or one that the provider runs itself. */
export interface ChatTool {
  type: string
  function?: { name: string; description?: string; parameters?: object; strict?: boolean }
  [member: string]: unknown
}

export type ToolChoice = 'none' | 'auto' | 'required' | { type: string; function?: { name: string } }

export interface ResponseFormat {
  type: string
  json_schema?: { name?: string; description?: string; schema?: object; strict?: boolean }
}

/** The options of the request besides the messages, with the interface's names; absent ones are not sent. */
export interface ChatOptions {
  temperature?: number
  max_tokens?: number
  top_p?: number
  frequency_penalty?: number
  presence_penalty?: number
  reasoning_effort?: string
  seed?: number
  stop?: string | readonly string[]
  parallel_tool_calls?: boolean
  logprobs?: boolean
  chat_template_kwargs?: Readonly<Record<string, unknown>>
  [option: string]: unknown
}

export interface ChatRequest {
  messages: readonly ChatMessage[]
  options?: ChatOptions
  tools?: readonly ChatTool[]
  /** Sent only with tools. */
  toolChoice?: ToolChoice
  responseFormat?: ResponseFormat
  signal?: AbortSignal
}
