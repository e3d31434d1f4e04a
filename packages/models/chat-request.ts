/** A message as OpenAI's chat completions have it; members that are not named here go to providers that speak that interface. */
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

/** A tool as OpenAI's interface has it: a function, or one that the provider runs itself. */
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

/** What is asked of the model apart from the messages, by the names of the interface; what is absent is not sent. */
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
  /** Sent with tools only. */
  toolChoice?: ToolChoice
  responseFormat?: ResponseFormat
  signal?: AbortSignal
}
