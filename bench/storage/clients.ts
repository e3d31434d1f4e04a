import { double, int, text } from '../exports.ts'

/** A message of a call, as a provider takes it. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
}

/** A call of a model. */
export interface Call {
  messages: readonly Message[]
  reply: string
  model: string
  session: string
  user: string
}

/** How an instrumentation describes spans: the names and attributes that it sends. */
export interface Client {
  /** Its instrumentation scope. */
  scope: string
  callName: string
  /** The attributes of a model call. */
  call(call: Call): object[]
  /** The attributes of the span around calls: its first question and its last reply. */
  agent(question: string, call: Call): object[]
  /** The attributes of a tool, which returns a text. */
  tool(name: string, result: string, call: Call): object[]
}

/** A token has about four letters. */
const tokensOf = (texts: readonly string[]): number => Math.ceil(texts.reduce((sum, one) => sum + one.length, 0) / 4)
const promptTokens = ({ messages }: Call): number => tokensOf(messages.map(({ content }) => content))
const replyTokens = ({ reply }: Call): number => tokensOf([reply])

const toParts = (messages: readonly Message[]): string =>
  JSON.stringify(messages.map(({ role, content }) => ({ role, parts: [{ type: 'text', content }] })))
const chatAnswer = ({ model, reply }: Call): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: reply }, finish_reason: 'stop' }],
  })

const genAiUsage = (call: Call): object[] => [
  text('gen_ai.operation.name', 'chat'),
  text('gen_ai.request.model', call.model),
  text('gen_ai.response.model', call.model),
  int('gen_ai.usage.input_tokens', promptTokens(call)),
  int('gen_ai.usage.output_tokens', replyTokens(call)),
]

/** In the shapes of the recordings in packages/otlp/fixtures. */
export const CLIENTS: Record<string, Client> = {
  openinference: {
    scope: '@arizeai/openinference-instrumentation-openai',
    callName: 'OpenAI Chat Completions',
    call: call => [
      text('openinference.span.kind', 'LLM'),
      text('llm.model_name', call.model),
      text('input.value', JSON.stringify({ model: call.model, temperature: 0.2, messages: call.messages })),
      text('input.mime_type', 'application/json'),
      text('llm.invocation_parameters', JSON.stringify({ model: call.model, temperature: 0.2 })),
      text('llm.system', 'openai'),
      ...call.messages.flatMap(({ role, content }, at) => [
        text(`llm.input_messages.${at}.message.role`, role),
        text(`llm.input_messages.${at}.message.content`, content),
      ]),
      text('output.value', chatAnswer(call)),
      text('output.mime_type', 'application/json'),
      text('llm.output_messages.0.message.role', 'assistant'),
      text('llm.output_messages.0.message.content', call.reply),
      int('llm.token_count.prompt', promptTokens(call)),
      int('llm.token_count.completion', replyTokens(call)),
      int('llm.token_count.total', promptTokens(call) + replyTokens(call)),
      text('session.id', call.session),
      text('user.id', call.user),
    ],
    agent: (question, { reply, session, user }) => [
      text('openinference.span.kind', 'AGENT'),
      text('input.value', question),
      text('input.mime_type', 'text/plain'),
      text('output.value', reply),
      text('output.mime_type', 'text/plain'),
      text('session.id', session),
      text('user.id', user),
    ],
    tool: (name, result, { session }) => [
      text('openinference.span.kind', 'TOOL'),
      text('tool.name', name),
      text('input.value', JSON.stringify({ query: name })),
      text('input.mime_type', 'application/json'),
      text('output.value', result),
      text('output.mime_type', 'text/plain'),
      text('session.id', session),
    ],
  },

  /** OpenTelemetry's conventions since 1.37: messages are one JSON text. */
  genAi: {
    scope: 'opentelemetry.instrumentation.openai_v2',
    callName: 'chat',
    call: call => [
      ...genAiUsage(call),
      text('gen_ai.provider.name', 'openai'),
      text('gen_ai.conversation.id', call.session),
      text('gen_ai.input.messages', toParts(call.messages)),
      text('gen_ai.output.messages', toParts([{ role: 'assistant', content: call.reply }])),
    ],
    agent: (question, { reply, session }) => [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'assistant'),
      text('gen_ai.conversation.id', session),
      text('gen_ai.input.messages', toParts([{ role: 'user', content: question }])),
      text('gen_ai.output.messages', toParts([{ role: 'assistant', content: reply }])),
    ],
    tool: (name, result, { session }) => [
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', name),
      text('gen_ai.conversation.id', session),
      text('gen_ai.tool.call.arguments', JSON.stringify({ query: name })),
      text('gen_ai.tool.call.result', result),
    ],
  },

  /** The older conventions: an attribute for each field of a message. */
  openllmetry: {
    scope: '@traceloop/instrumentation-openai',
    callName: 'openai.chat',
    call: call => [
      ...genAiUsage(call),
      text('gen_ai.system', 'OpenAI'),
      text('llm.request.type', 'chat'),
      text('traceloop.association.properties.session_id', call.session),
      ...call.messages.flatMap(({ role, content }, at) => [
        text(`gen_ai.prompt.${at}.role`, role),
        text(`gen_ai.prompt.${at}.content`, content),
      ]),
      text('gen_ai.completion.0.finish_reason', 'stop'),
      text('gen_ai.completion.0.role', 'assistant'),
      text('gen_ai.completion.0.content', call.reply),
      int('llm.usage.total_tokens', promptTokens(call) + replyTokens(call)),
    ],
    agent: (question, { reply, session }) => [
      text('traceloop.span.kind', 'workflow'),
      text('traceloop.entity.name', 'assistant'),
      text('traceloop.association.properties.session_id', session),
      text('traceloop.entity.input', JSON.stringify({ args: [], kwargs: { question } })),
      text('traceloop.entity.output', JSON.stringify(reply)),
    ],
    tool: (name, result, { session }) => [
      text('traceloop.span.kind', 'tool'),
      text('traceloop.entity.name', name),
      text('traceloop.association.properties.session_id', session),
      text('traceloop.entity.input', JSON.stringify({ args: [], kwargs: { query: name } })),
      text('traceloop.entity.output', JSON.stringify(result)),
    ],
  },

  aiSdk: {
    scope: 'ai',
    callName: 'ai.generateText.doGenerate',
    call: call => [
      ...genAiUsage(call),
      text('operation.name', 'ai.generateText.doGenerate answer'),
      text('ai.operationId', 'ai.generateText.doGenerate'),
      text('ai.telemetry.functionId', 'answer'),
      text('ai.model.provider', 'openai.chat'),
      text('ai.model.id', call.model),
      double('ai.settings.temperature', 0.2),
      int('ai.settings.maxRetries', 2),
      text('ai.telemetry.metadata.userId', call.user),
      text('ai.telemetry.metadata.sessionId', call.session),
      text(
        'ai.prompt.messages',
        JSON.stringify(
          call.messages.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })),
        ),
      ),
      text('ai.response.text', call.reply),
      text('ai.response.finishReason', 'stop'),
      int('ai.usage.inputTokens', promptTokens(call)),
      int('ai.usage.outputTokens', replyTokens(call)),
    ],
    agent: (question, { reply, session, user }) => [
      text('operation.name', 'ai.generateText answer'),
      text('ai.operationId', 'ai.generateText'),
      text('ai.telemetry.metadata.userId', user),
      text('ai.telemetry.metadata.sessionId', session),
      text('ai.prompt', JSON.stringify({ prompt: question })),
      text('ai.response.text', reply),
    ],
    tool: (name, result, { session }) => [
      text('operation.name', 'ai.toolCall answer'),
      text('ai.operationId', 'ai.toolCall'),
      text('ai.telemetry.metadata.sessionId', session),
      text('ai.toolCall.name', name),
      text('ai.toolCall.args', JSON.stringify({ query: name })),
      text('ai.toolCall.result', result),
    ],
  },
}
