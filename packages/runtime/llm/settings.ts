import type { Json, JsonObject } from '@spanhouse/model'
import { readLlmConfig } from '../prompt/llm-config.ts'
import { readHistory } from '../prompt/prompt.ts'
import { ConfigReader } from '../prompt/read.ts'
import { TEMPLATE_FORMATS, type TemplateFormat } from '../prompt/template.ts'
import type { ChatConfig, Run } from '../run.ts'
import { misfit, missing } from '../run-error.ts'

/** Ends a loop; the only internal tool. Providers accept no dots in names of tools. */
const TERMINATE = 'control.terminate'
export const TERMINATE_AS_SENT = 'control_terminate'

/** Limits of a loop of calls. */
export interface Loop {
  iterationsMax: number
  toolCallsMax: number
  errorsMax: number
  /** Whether a reply without a tool call ends the loop. */
  stopsWithoutTool: boolean
}

/** The validated parameters and inputs of the `llm` handler (section 3.3 of the runtime's contract). */
export interface LlmSettings {
  configs: ChatConfig[]
  messages: JsonObject[]
  history: JsonObject[]
  templateFormat: TemplateFormat
  variables: JsonObject
  /** Undefined: the model is called once. */
  loop: Loop | undefined
  /** Names of the tools that the caller executes. */
  externalTools: ReadonlySet<string>
  context: JsonObject
  consent: JsonObject
}

/** Throws a 400 that names the missing or invalid member. */
export function readLlm({ parameters, inputs = {} }: Run): LlmSettings {
  const reader = new ConfigReader(parameters, '')
  const given = new ConfigReader(inputs, 'inputs')
  const loop = readLoop(reader)
  const tools = readTools(reader, loop)
  const merged = (name: string): JsonObject => ({ ...reader.object(name), ...given.object(name) })
  return {
    configs: readConfigs(reader, [...tools.values()]),
    messages: reader.objects('messages') ?? [],
    history: readHistory(inputs),
    templateFormat: reader.oneOf('template_format', TEMPLATE_FORMATS) ?? 'curly',
    variables: given.object('variables') ?? {},
    loop,
    externalTools: new Set([...tools.keys()].filter(name => name !== TERMINATE_AS_SENT)),
    context: merged('context'),
    consent: merged('consent'),
  }
}

function readConfigs(reader: ConfigReader, tools: JsonObject[]): ChatConfig[] {
  const llms = reader.objects('llms')
  if (!llms) throw missing('parameter', 'llms')
  if (llms.length === 0) throw misfit('parameter', 'llms', 'at least one model', llms)
  const response_format = responseFormat(reader)
  return llms.map((llm, place) => {
    const config = readLlmConfig(new ConfigReader(tools.length > 0 ? { ...llm, tools } : llm, `llms[${place}]`))
    return response_format ? { ...config, options: { ...config.options, response_format } } : config
  })
}

function responseFormat(reader: ConfigReader): JsonObject | undefined {
  const { format, schema = null } = reader.object('response') ?? {}
  if (format !== 'json') return undefined
  return schema === null ? { type: 'json_object' } : { type: 'json_schema', json_schema: { name: 'response', schema } }
}

function readLoop(reader: ConfigReader): Loop | undefined {
  const given = reader.object('loop')
  if (!given) return undefined
  const loop = new ConfigReader(given, 'loop')
  const count = (name: string, from: number): number | undefined =>
    loop.number(name, { from, to: 1000, isInteger: true })
  return {
    iterationsMax: count('max_iterations', 1) ?? 8,
    toolCallsMax: count('max_internal_tool_calls', 0) ?? 16,
    errorsMax: count('max_consecutive_errors', 0) ?? 2,
    stopsWithoutTool: loop.boolean('allow_implicit_stop') ?? true,
  }
}

/** By name, in the form that providers take. The terminate tool is offered where nothing else could end the loop. */
function readTools(reader: ConfigReader, loop: Loop | undefined): Map<string, JsonObject> {
  const given = new ConfigReader(reader.object('tools') ?? {}, 'tools')
  const internal = given.value('internal') ?? []
  if (!Array.isArray(internal)) throw misfit('parameter', 'tools.internal', 'a list of names', internal)
  for (const name of internal)
    if (name !== TERMINATE) throw misfit('parameter', 'tools.internal', `only '${TERMINATE}'`, name)
  const tools = new Map((given.objects('external') ?? []).map(externalTool))
  const needsTerminate = internal.length > 0 || loop?.stopsWithoutTool === false
  if (loop && needsTerminate) tools.set(TERMINATE_AS_SENT, terminateTool())
  return tools
}

/** As providers take it, as the catalogue's type `tool`, or the function alone. */
function externalTool(tool: JsonObject, place: number): [string, JsonObject] {
  const { function: asSent = null, definition = null, name, type } = tool
  const described =
    type === 'function' && asSent !== null
      ? asSent
      : definition === null
        ? tool
        : { name: name ?? null, ...object(definition) }
  const functionName = object(described).name
  if (typeof functionName !== 'string' || functionName === '')
    throw misfit('parameter', `tools.external[${place}]`, 'a function with a name', tool)
  return [functionName, { ...(type === 'function' ? tool : {}), type: 'function', function: described as Json }]
}

const object = (value: Json): JsonObject => (typeof value === 'object' && value !== null ? (value as JsonObject) : {})

const terminateTool = (): JsonObject => ({
  type: 'function',
  function: {
    name: TERMINATE_AS_SENT,
    description: 'Call this when the task is done.',
    parameters: { type: 'object', properties: {} },
  },
})
