import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { readJson } from '../evaluation/read-json.ts'
import { graded } from '../evaluation/verdict.ts'
import { memberOf } from '../path.ts'
import type { Run } from '../run.ts'
import { misfit, missing } from '../run-error.ts'
import { ConfigReader } from './read.ts'
import { renderMessages, renderStructure } from './render-prompt.ts'
import { TEMPLATE_FORMATS, type TemplateFormat } from './template.ts'

const DEFAULT_MODEL = 'gpt-3.5-turbo'
const DEFAULT_VERSION = '3'
const DEFAULT_THRESHOLD = 0.5
const RESPONSE_TYPES = ['text', 'json_object', 'json_schema'] as const
type ResponseType = (typeof RESPONSE_TYPES)[number]

/** Defaults that differ between the versions of the judge; a parameter that is set wins. */
const FORMAT_BY_VERSION: ReadonlyMap<string, TemplateFormat> = new Map([
  ['2', 'fstring'],
  ['5', 'mustache'],
])
const RESPONSE_BY_VERSION: ReadonlyMap<string, ResponseType> = new Map([['4', 'json_schema']])

/** The validated parameters of the judge. */
interface Judge {
  messages: JsonObject[]
  templateFormat: TemplateFormat
  responseFormat: JsonObject | undefined
  correctAnswerKey: string | undefined
  threshold: number
  reader: ConfigReader
}

/**
 * Asks a model to judge the output (section 7 of the runtime's contract). A number or boolean is converted to score and
 * success, an object is returned unchanged; any other reply is a 400 `invalid-outputs`. A missing key is reported
 * before a prompt that cannot be rendered.
 */
export async function judge(run: Run): Promise<Json> {
  const settings = readJudge(run.parameters)
  const { responseFormat, reader } = settings
  const connection = reader.text('connection')
  const called = { model: reader.text('model') ?? DEFAULT_MODEL, ...(connection ? { connection } : {}) }
  const temperature = reader.number('temperature', { from: 0, to: 2 }) ?? 0
  await run.means.requireKey(called)
  const context = judgeContext(run, settings)
  const renderer = { format: settings.templateFormat, context, compute: run.means.compute }
  const messages = await renderMessages(settings.messages, 'prompt_template', renderer)
  const format = responseFormat && (await renderStructure(responseFormat, 'json_schema', renderer))
  const config = { ...called, options: { temperature, ...(format ? { response_format: format } : {}) } }
  const { message } = await run.means.chat({ messages, configs: [config] }, run.flags.stream ? run.emit : undefined)
  return verdictOf(message.content ?? null, settings.threshold)
}

function readJudge(parameters: JsonObject): Judge {
  const reader = new ConfigReader(parameters, '')
  const messages = reader.objects('prompt_template')
  if (!messages) throw missing('parameter', 'prompt_template')
  const version = reader.text('version') ?? DEFAULT_VERSION
  const type = reader.oneOf('response_type', RESPONSE_TYPES) ?? RESPONSE_BY_VERSION.get(version) ?? 'text'
  return {
    messages,
    templateFormat: reader.oneOf('template_format', TEMPLATE_FORMATS) ?? FORMAT_BY_VERSION.get(version) ?? 'curly',
    responseFormat: readFormat(reader, type),
    correctAnswerKey: reader.text('correct_answer_key'),
    threshold: reader.number('threshold') ?? DEFAULT_THRESHOLD,
    reader,
  }
}

function readFormat(reader: ConfigReader, type: ResponseType): JsonObject | undefined {
  if (type === 'text') return undefined
  if (type === 'json_object') return { type }
  const json_schema = reader.object('json_schema')
  if (!json_schema) throw missing('parameter', 'json_schema')
  return { type, json_schema }
}

/** Later entries override earlier ones. */
function judgeContext({ parameters, inputs = {}, outputs, trace }: Run, { correctAnswerKey }: Judge): JsonObject {
  const context: JsonObject = { ...parameters }
  const expected = correctAnswerKey === undefined ? undefined : memberOf(inputs, correctAnswerKey)
  if (expected !== undefined)
    Object.assign(context, { ground_truth: expected, correct_answer: expected, reference: expected })
  Object.assign(context, inputs, { inputs })
  if (outputs !== undefined) Object.assign(context, { prediction: outputs, outputs })
  if (trace) context.trace = trace
  return context
}

async function verdictOf(content: Json, threshold: number): Promise<Json> {
  const verdict = typeof content === 'string' ? await parsed(content) : content
  if (typeof verdict === 'number') return graded(verdict, threshold)
  if (typeof verdict === 'boolean') return { score: verdict ? 1 : 0, success: verdict }
  if (isJsonObject(verdict)) return verdict
  throw misfit('outputs', 'outputs', "the model's answer to be a number, a boolean or an object as JSON", verdict)
}

/** Removes a Markdown code fence around the JSON. */
async function parsed(content: string): Promise<Json> {
  const text = content.trim()
  const inside = text.startsWith('```') && text.endsWith('```') ? text.slice(3, -3).replace(/^[a-z]*\s*\n/i, '') : text
  const json = await readJson(inside)
  return json === undefined ? content : json
}
