import { isJsonObject, type JsonObject } from '@spanhouse/model'
import { type AttemptRules, FALLBACK_POLICIES, RETRY_POLICIES } from '@spanhouse/models'
import type { ChatConfig } from '../run.ts'
import { misfit, missing } from '../run-error.ts'
import { readLlmConfig } from './llm-config.ts'
import { ConfigReader } from './read.ts'
import { TEMPLATE_FORMATS, type TemplateFormat } from './template.ts'

/** The `prompt` of a completion or chat, checked (section 4.1 of the runtime's contract). */
export interface Prompt {
  messages: JsonObject[]
  /** Where the messages are in the parameters; each path ends with the message's place. */
  path: string
  templateFormat: TemplateFormat
  /** Inputs that must be present. */
  inputKeys: string[] | undefined
  /** The primary configuration and its fallbacks. */
  configs: ChatConfig[]
  retry: AttemptRules
}

/** Throws a 400 that names the missing or invalid member. */
export function readPrompt(parameters: JsonObject): Prompt {
  const outer = new ConfigReader(parameters, '')
  const prompt = outer.object('prompt')
  if (!prompt) throw missing('parameter', 'prompt')
  const reader = new ConfigReader(prompt, 'prompt')
  return {
    messages: readMessages(reader),
    path: 'prompt.messages',
    templateFormat: reader.oneOf('template_format', TEMPLATE_FORMATS) ?? 'curly',
    inputKeys: readInputKeys(reader),
    configs: readConfigs(reader),
    retry: readRetry(reader),
  }
}

function readMessages(reader: ConfigReader): JsonObject[] {
  const messages = reader.objects('messages')
  if (messages) return messages.map((message, place) => withRole(message, `prompt.messages[${place}]`))
  const [system, user] = [reader.text('system_prompt'), reader.text('user_prompt')]
  if (system === undefined && user === undefined) return [message('system', ''), message('user', '')]
  return [
    ...(system === undefined ? [] : [message('system', system)]),
    ...(user === undefined ? [] : [message('user', user)]),
  ]
}

const message = (role: string, content: string): JsonObject => ({ role, content })

function withRole(given: JsonObject, path: string): JsonObject {
  if (typeof given.role !== 'string') throw misfit('parameter', `${path}.role`, 'a string', given.role)
  return given
}

function readInputKeys(reader: ConfigReader): string[] | undefined {
  const keys = reader.value('input_keys')
  if (keys === undefined) return undefined
  if (Array.isArray(keys) && keys.every(key => typeof key === 'string')) return keys
  throw misfit('parameter', 'prompt.input_keys', 'a list of strings', keys)
}

function readConfigs(reader: ConfigReader): ChatConfig[] {
  const primary = readLlmConfig(new ConfigReader(reader.object('llm_config') ?? {}, 'prompt.llm_config'))
  const fallbacks = reader.objects('fallback_configs') ?? []
  const path = (place: number): string => `prompt.fallback_configs[${place}]`
  return [primary, ...fallbacks.map((config, place) => readLlmConfig(new ConfigReader(config, path(place))))]
}

function readRetry(reader: ConfigReader): AttemptRules {
  const config = new ConfigReader(reader.object('retry_config') ?? {}, 'prompt.retry_config')
  return {
    retryPolicy: reader.oneOf('retry_policy', RETRY_POLICIES),
    retriesMax: config.number('max_retries', { from: 0, to: 5, isInteger: true }),
    retryDelayMs: config.number('base_delay', { from: 100, to: 1000 }),
    fallbackPolicy: reader.oneOf('fallback_policy', FALLBACK_POLICIES),
  }
}

/** Throws a 400 that lists the required and the provided keys. */
export function checkInputKeys(required: readonly string[] | undefined, inputs: JsonObject): void {
  const absent = (required ?? []).filter(key => !Object.hasOwn(inputs, key))
  if (required === undefined || absent.length === 0) return
  const list = (keys: readonly string[]): string => keys.map(key => `'${key}'`).join(', ') || 'none'
  throw misfit('inputs', 'inputs', `the keys ${list(required)}; provided: ${list(Object.keys(inputs))}`, inputs)
}

/** The variables of a template: each input, and all of them as `inputs` (section 4.3). */
export const templateContext = (inputs: JsonObject): JsonObject => ({ ...inputs, inputs })

/** The messages of `inputs.messages`: a list of objects with a role, else a 400. */
export function readHistory(inputs: JsonObject): JsonObject[] {
  const { messages = null } = inputs
  if (messages === null) return []
  if (!Array.isArray(messages)) throw misfit('input', 'inputs.messages', 'a list of messages', messages)
  return messages.map((entry, place) => {
    if (isJsonObject(entry) && typeof entry.role === 'string') return entry
    throw misfit('input', `inputs.messages[${place}]`, 'an object with a role', entry)
  })
}
