import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { ChatConfig } from '../run.ts'
import { misfit } from '../run-error.ts'
import type { ConfigReader } from './read.ts'

const DEFAULT_MODEL = 'gpt-4o-mini'
const REASONING_EFFORTS_MAX_LENGTH = 64

/** How each option of an `llm_config` is read; only those that are set are sent (section 4.1 of the contract). */
const OPTIONS: Record<string, (reader: ConfigReader, name: string) => Json | undefined> = {
  temperature: (reader, name) => reader.number(name, { from: 0, to: 2 }),
  max_tokens: (reader, name) => reader.number(name, { from: 0, isInteger: true }),
  top_p: (reader, name) => reader.number(name, { from: 0, to: 1 }),
  frequency_penalty: (reader, name) => reader.number(name, { from: -2, to: 2 }),
  presence_penalty: (reader, name) => reader.number(name, { from: -2, to: 2 }),
  reasoning_effort: readEffort,
  chat_template_kwargs: (reader, name) => reader.object(name),
  response_format: readResponseFormat,
  stop: readStop,
  seed: (reader, name) => reader.number(name, { isInteger: true }),
  parallel_tool_calls: (reader, name) => reader.boolean(name),
  logprobs: (reader, name) => reader.boolean(name),
  top_logprobs: (reader, name) => reader.number(name, { from: 0, to: 20, isInteger: true }),
}

/** Validates an `llm_config`. Throws a 400 that names the invalid member. */
export function readLlmConfig(reader: ConfigReader): ChatConfig {
  const options: JsonObject = {}
  for (const [name, read] of Object.entries(OPTIONS)) {
    const value = read(reader, name)
    if (value !== undefined) options[name] = value
  }
  const tools = reader.objects('tools') ?? []
  const choice = readToolChoice(reader)
  if (tools.length > 0) options.tools = tools
  if (tools.length > 0 && choice !== undefined) options.tool_choice = choice
  const connection = reader.text('connection')
  return { model: reader.text('model') ?? DEFAULT_MODEL, ...(connection ? { connection } : {}), options }
}

function readEffort(reader: ConfigReader, name: string): string | undefined {
  const effort = reader.text(name)
  if (effort !== undefined && effort.length > REASONING_EFFORTS_MAX_LENGTH)
    throw misfit(
      'parameter',
      reader.pathOf(name),
      `a string of at most ${REASONING_EFFORTS_MAX_LENGTH} characters`,
      effort,
    )
  return effort === '' ? undefined : effort
}

function readStop(reader: ConfigReader, name: string): Json | undefined {
  const stop = reader.value(name)
  const isTexts = Array.isArray(stop) && stop.every(text => typeof text === 'string')
  if (stop === undefined || typeof stop === 'string' || isTexts) return stop
  throw misfit('parameter', reader.pathOf(name), 'a string or a list of strings', stop)
}

function readToolChoice(reader: ConfigReader): Json | undefined {
  const choice = reader.value('tool_choice')
  if (choice === undefined || isJsonObject(choice)) return choice
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice
  throw misfit('parameter', reader.pathOf('tool_choice'), "'none', 'auto', 'required' or an object", choice)
}

function readResponseFormat(reader: ConfigReader, name: string): JsonObject | undefined {
  const format = reader.object(name)
  if (format === undefined) return undefined
  const path = reader.pathOf(name)
  if (format.type !== 'text' && format.type !== 'json_object' && format.type !== 'json_schema')
    throw misfit('parameter', `${path}.type`, "'text', 'json_object' or 'json_schema'", format.type)
  if (format.type === 'json_schema' && !isJsonObject(format.json_schema))
    throw misfit('parameter', `${path}.json_schema`, 'an object with name and schema', format.json_schema)
  return format
}
