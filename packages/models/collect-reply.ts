import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { ChatEvent, ChatReply, FinishReason, Usage } from './chat-reply.ts'
import type { ToolCall } from './chat-request.ts'
import { ModelError } from './model-error.ts'
import { statedFailure } from './stated-failure.ts'

const FINISH_REASONS: Readonly<Record<LanguageModelV4FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'other',
  interrupted: 'other',
  other: 'other',
}

/** What the packages say, without a reason of the provider's, of a stream that has ended too early. */
const UNFINISHED: ReadonlySet<string> = new Set(['interrupted', 'error', 'other'])

/** Assembles a reply from what a package reports, as a whole or part by part; each part is passed on as it arrives. */
export class ReplyCollector {
  #text = ''
  #refusal = ''
  #reasoning = ''
  #toolCalls: ToolCall[] = []
  /** Those that are complete: some providers give all calls of an answer the same id. */
  readonly #ended = new Set<ToolCall>()
  #usage: Usage | undefined
  #finishReason: FinishReason = 'other'
  #isFinished = false
  #model: string
  #firstAt: number | undefined
  /** The refusal of the answer or the chunk; what the package makes of it is text, or nothing. */
  #lastRefusal = ''
  readonly #started = performance.now()
  readonly #onEvent: ((event: ChatEvent) => void) | undefined

  constructor(model: string, onEvent?: (event: ChatEvent) => void) {
    this.#model = model
    this.#onEvent = onEvent
  }

  /** Whether a part of the answer has been passed on. */
  get isPartial(): boolean {
    return this.#firstAt !== undefined && this.#onEvent !== undefined
  }

  /** Takes a complete answer. Throws the failure that it states. */
  take({ content, finishReason, usage, response }: LanguageModelV4GenerateResult): void {
    throwStated(response?.body)
    this.#refuse((response?.body as OpenAiBody | undefined)?.choices?.[0]?.message?.refusal)
    for (const part of content) this.#takeContent(part)
    this.#finish(finishReason, usage)
    this.#model = response?.modelId || this.#model
  }

  /** Takes the next part of a stream. Throws the error that the stream reports. */
  takePart(part: LanguageModelV4StreamPart): void {
    if (part.type === 'text-delta') this.#say(part.delta)
    else if (part.type === 'reasoning-delta') this.#reason(part.delta)
    else if (part.type === 'tool-input-start' && !part.providerExecuted) this.#startCall(part.id, part.toolName)
    else if (part.type === 'tool-input-delta') this.#addArguments(this.#latest(part.id), part.delta)
    else if (part.type === 'tool-call') this.#endCall(part)
    else if (part.type === 'raw') this.#takeRaw(part.rawValue)
    else if (part.type === 'response-metadata') this.#model = part.modelId || this.#model
    else if (part.type === 'finish') this.#finish(part.finishReason, part.usage)
    else if (part.type === 'error') throw part.error
  }

  /** After the last part of a stream. Throws a {@link ModelError} if the answer may lack its end. */
  endStream(): void {
    if (this.#isFinished) return
    const message = "The provider's response ended without a finish reason."
    throw new ModelError(message, { category: 'availability', isPartial: this.isPartial })
  }

  get reply(): ChatReply {
    const now = performance.now()
    const isSilent = this.#refusal !== '' || this.#toolCalls.length > 0
    return {
      message: {
        role: 'assistant',
        content: this.#text === '' && isSilent ? null : this.#text,
        ...(this.#refusal !== '' && { refusal: this.#refusal }),
        ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
        ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
      },
      usage: this.#usage,
      finishReason: this.#finishReason,
      model: this.#model,
      timings: { firstTokenMs: (this.#firstAt ?? now) - this.#started, totalMs: now - this.#started },
    }
  }

  /** A chunk as the provider sent it, before the parts that the package makes of it. */
  #takeRaw(chunk: unknown): void {
    throwStated(chunk)
    this.#refuse((chunk as OpenAiBody | undefined)?.choices?.[0]?.delta?.refusal)
  }

  #takeContent(part: LanguageModelV4Content): void {
    if (part.type === 'text') this.#say(part.text)
    else if (part.type === 'reasoning') this.#reason(part.text)
    else if (part.type === 'tool-call') this.#endCall(part)
  }

  #refuse(refusal: unknown): void {
    const delta = typeof refusal === 'string' ? refusal : ''
    this.#lastRefusal = delta
    this.#refusal += delta
    if (delta !== '') this.#tell({ type: 'refusal', delta })
  }

  #say(delta: string): void {
    if (delta === '' || delta === this.#lastRefusal) return
    this.#text += delta
    this.#tell({ type: 'text', delta })
  }

  #reason(delta: string): void {
    this.#reasoning += delta
    if (delta !== '') this.#tell({ type: 'reasoning', delta })
  }

  #startCall(id: string, name: string): void {
    const index = this.#toolCalls.push({ id, type: 'function', function: { name, arguments: '' } }) - 1
    this.#tell({ type: 'tool_call', index, id, name })
  }

  #latest(id: string): number {
    return this.#toolCalls.findLastIndex(call => call.id === id)
  }

  #addArguments(index: number, delta: string): void {
    const call = this.#toolCalls[index]
    if (call === undefined || delta === '') return
    call.function.arguments += delta
    this.#tell({ type: 'tool_arguments', index, delta })
  }

  /**
   * The whole call, whether or not its parts arrived before. One that the provider executed itself, such as a search in
   * the web, is not a call: nobody has to answer it.
   */
  #endCall({ toolCallId: id, toolName: name, input, providerExecuted }: LanguageModelV4ToolCall): void {
    if (providerExecuted) return
    const isThis = (call: ToolCall): boolean => call.id === id && call.function.name === name && !this.#ended.has(call)
    if (!this.#toolCalls.some(isThis)) this.#startCall(id, name)
    const index = this.#toolCalls.findIndex(isThis)
    const call = this.#toolCalls[index] as ToolCall
    if (call.function.arguments === '') this.#addArguments(index, input)
    else call.function.arguments = input
    this.#ended.add(call)
  }

  #finish({ unified, raw }: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): void {
    if (raw !== undefined && (unified === 'error' || raw === 'error')) {
      const message = `The provider's response ended with the reason '${raw}'.`
      throw new ModelError(message, { category: 'availability', isPartial: this.isPartial })
    }
    this.#isFinished = raw !== undefined || !UNFINISHED.has(unified)
    this.#finishReason = this.#refusal === '' ? FINISH_REASONS[unified] : 'content_filter'
    this.#usage = toUsage(usage)
  }

  #tell(event: ChatEvent): void {
    this.#firstAt ??= performance.now()
    this.#onEvent?.(event)
  }
}

function throwStated(said: unknown): void {
  const failure = statedFailure(said)
  if (failure) throw failure
}

interface OpenAiBody {
  choices?: { message?: { refusal?: unknown }; delta?: { refusal?: unknown } }[]
}

function toUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage | undefined {
  const { total: prompt = 0, cacheWrite } = inputTokens
  // Cohere's, which its package leaves out.
  const cacheRead = inputTokens.cacheRead ?? (raw?.cached_tokens as number | null | undefined)
  const { total: completion = 0, reasoning } = outputTokens
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  return {
    prompt,
    completion,
    total: prompt + completion,
    ...(cacheRead && { cache_read: cacheRead }),
    ...(cacheWrite && { cache_write: cacheWrite }),
    ...(reasoning && { reasoning }),
  }
}
