import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { templateContext } from '../prompt/prompt.ts'
import { renderMessages } from '../prompt/render-prompt.ts'
import type { ChatAnswer, Run } from '../run.ts'
import { RunError } from '../run-error.ts'
import { type LlmSettings, readLlm, TERMINATE_AS_SENT } from './settings.ts'
import { trailingUnit } from './trailing-unit.ts'

/** Failures after which the next model is tried; a missing key or connection is of category access. */
const NEXT_MODEL = new Set(['availability', 'capacity', 'access'])

const CONTINUE = `Continue. When the task is done, call ${TERMINATE_AS_SENT}.`

/** The status of a conversation. */
interface Ending {
  code: number
  type: 'success' | 'awaiting' | 'failure'
  message: string
}

const COMPLETED: Ending = { code: 200, type: 'success', message: 'completed' }
const TOOL_REQUESTED: Ending = { code: 202, type: 'awaiting', message: 'tool_requested' }
const failure = (message: string, code = 500): Ending => ({ code, type: 'failure', message })

/**
 * Calls a model once, or in a loop until it calls no more tools, calls a tool of the caller, or a limit is reached
 * (section 3.3 of the runtime's contract). The `status` of the output tells which. The file tools are not provided:
 * callers must not reach files of the server.
 */
export async function runLlm(run: Run): Promise<Json> {
  if (run.flags.force) throw new RunError(406, 'v0:workflows:force-not-supported', "The flag 'force' is not supported")
  const settings = readLlm(run)
  const conversation = new Conversation(run, settings, await openingMessages(run, settings))
  const ending = settings.loop ? await conversation.loop(settings.loop) : await conversation.once()
  const { context, consent } = settings
  const messages = run.flags.trim ? trailingUnit(conversation.messages) : conversation.messages
  return { status: { ...ending }, messages, context, consent, usage: conversation.usage }
}

/** Those of the parameters, then those of the inputs, which may repeat them when a conversation is continued. */
async function openingMessages(run: Run, settings: LlmSettings): Promise<JsonObject[]> {
  const { messages, history, templateFormat: format, variables } = settings
  const isTemplate = Object.keys(variables).length > 0
  const renderer = { format, context: templateContext(variables), compute: run.means.compute }
  const opening = isTemplate ? await renderMessages(messages, 'messages', renderer) : messages
  const isRepeated = opening.every((message, place) => JSON.stringify(message) === JSON.stringify(history[place]))
  return isRepeated ? history : [...opening, ...history]
}

class Conversation {
  readonly #run: Run
  readonly #settings: LlmSettings
  readonly messages: JsonObject[]
  readonly usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

  constructor(run: Run, settings: LlmSettings, messages: JsonObject[]) {
    this.#run = run
    this.#settings = settings
    this.messages = [...messages]
  }

  /** Throws a 503 `llm-unavailable` if all models fail. */
  async once(): Promise<Ending> {
    const calls = await this.#ask()
    return calls.length > 0 ? TOOL_REQUESTED : COMPLETED
  }

  async loop(limits: NonNullable<LlmSettings['loop']>): Promise<Ending> {
    let [toolCalls, errors] = [0, 0]
    for (let iteration = 0; iteration < limits.iterationsMax; iteration++) {
      const calls = await this.#ask().catch(unlessUnavailable)
      if (calls === undefined) return failure('llm_unavailable', 503)
      if (calls.length === 0) {
        if (limits.stopsWithoutTool) return COMPLETED
        errors = 0
        this.messages.push({ role: 'user', content: CONTINUE })
        continue
      }
      const own = calls.filter(call => !this.#settings.externalTools.has(call.name))
      for (const call of own) this.#answer(call)
      if (own.length < calls.length) return TOOL_REQUESTED
      if (own.some(isTerminate)) return COMPLETED
      toolCalls += calls.length
      if (toolCalls > limits.toolCallsMax) return failure('calls_exhausted')
      if (++errors > limits.errorsMax) return failure('error_raised')
    }
    return failure('iterations_exhausted')
  }

  /**
   * Appends the result of a call that the caller does not execute, also where the conversation ends with it: providers
   * refuse one that goes on behind a call without a result.
   */
  #answer(call: ToolCall): void {
    const isError = !isTerminate(call)
    const content = isError ? `There is no tool named '${call.name}'.` : 'The task is done.'
    this.messages.push({ role: 'tool', tool_call_id: call.id, content })
    this.#run.emit({ type: 'tool_result', data: { id: call.id, output: content, isError } })
  }

  /** Appends the reply of the first model that responds, and returns its tool calls. */
  async #ask(): Promise<ToolCall[]> {
    const answer = await this.#firstAnswer()
    this.messages.push(answer.message)
    this.usage.prompt_tokens += answer.usage.prompt
    this.usage.completion_tokens += answer.usage.completion
    this.usage.total_tokens += answer.usage.total
    return toolCallsOf(answer.message)
  }

  async #firstAnswer(): Promise<ChatAnswer> {
    const failures: RunError[] = []
    const { flags, means, emit } = this.#run
    for (const config of this.#settings.configs) {
      try {
        return await means.chat({ messages: [...this.messages], configs: [config] }, flags.stream ? emit : undefined)
      } catch (error) {
        if (!(error instanceof RunError) || !allowsNext(error)) throw error
        failures.push(error)
      }
    }
    throw unavailable(failures)
  }
}

/** The caller already has the beginning of a model's response: another model would start over behind it. */
const allowsNext = ({ category, providerStatus, isPartial }: RunError): boolean =>
  !isPartial && ((category !== undefined && NEXT_MODEL.has(category)) || providerStatus === 404)

/** If every model failed for lack of a usable key, the caller must add one; a retry is pointless. */
function unavailable(failures: readonly RunError[]): RunError {
  const [first] = failures
  if (first && failures.every(error => error.status === 400)) return first
  const causes = failures.map(error => error.message).join('\n')
  return new RunError(503, LLM_UNAVAILABLE, `No model could be called\n${causes}`, { cause: first })
}

const LLM_UNAVAILABLE = 'v0:workflows:llm-unavailable'

function unlessUnavailable(error: unknown): undefined {
  if (error instanceof RunError && error.fragment === LLM_UNAVAILABLE) return undefined
  throw error
}

interface ToolCall {
  id: string
  name: string
}

function toolCallsOf({ tool_calls = null }: JsonObject): ToolCall[] {
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isJsonObject) : []
  return calls.map(call => {
    const { name = '' } = isJsonObject(call.function) ? call.function : {}
    return { id: String(call.id ?? ''), name: String(name) }
  })
}

const isTerminate = ({ name }: ToolCall): boolean => name === TERMINATE_AS_SENT
