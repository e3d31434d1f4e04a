import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { type Convention, type Found, lookedAt, type SentAttributes } from './convention.ts'
import { messagesOfContents } from './messages/gemini-messages.ts'
import { withInstructions } from './messages/gen-ai-messages.ts'
import { parsedValue } from './value.ts'

const AGENT = 'gen_ai.agent.name'
const INPUT = 'gen_ai.input.messages'
const OUTPUT = 'gen_ai.output.messages'

const SPAN_TYPE_OF_OPERATION: ReadonlyMap<Json, SpanType> = new Map([
  ['llm_call', 'chat'],
  ['tool_call', 'tool'],
  ['agent_call', 'agent'],
])

/**
 * Gemini CLI, Google's agent for the command line. Its attributes have the names of `gen-ai.ts`, but its operations are
 * its own, and its messages have the form of Gemini's API.
 */
export const geminiCli: Convention = {
  name: 'gemini-cli',
  rows: lookedAt(AGENT),
  complete(found, { attributes }) {
    if (attributes.get(AGENT) !== 'gemini-cli') return
    const operation = attributes.get('gen_ai.operation.name') ?? null
    const type = SPAN_TYPE_OF_OPERATION.get(operation)
    if (type) found.set('type.span', type)
    if (type === 'chat') putConversation(found, attributes)
    if (type === 'tool') putToolCall(found, attributes)
    if (operation === 'schedule_tool_calls') putScheduledCalls(found, attributes)
  },
}

function putConversation(found: Found, attributes: SentAttributes): void {
  const prompt = messagesOfContents(valueAt(attributes, INPUT))
  const completion = messagesOfContents(valueAt(attributes, OUTPUT))
  putMessages(found, withInstructions(prompt, valueAt(attributes, 'gen_ai.system_instructions')), completion)
}

/** The state of the call before and after it, with much about the tool itself. */
function putToolCall(found: Found, attributes: SentAttributes): void {
  const { args } = objectIn(valueAt(attributes, INPUT))
  const { resultDisplay } = objectIn(objectIn(valueAt(attributes, OUTPUT)).response)
  if (args !== undefined) found.set('data.inputs.arguments', args)
  if (resultDisplay !== undefined) found.set('data.outputs', resultDisplay)
}

/** All calls of a response: those that the model asked for, and the results that it gets. */
function putScheduledCalls(found: Found, attributes: SentAttributes): void {
  const calls = objectsIn(valueAt(attributes, INPUT)).map(({ callId: id, name, args }) => ({
    functionCall: withoutAbsent({ id, name, args }),
  }))
  const results = objectsIn(valueAt(attributes, OUTPUT)).flatMap(({ response }) =>
    objectsIn(objectIn(response).responseParts),
  )
  putMessages(
    found,
    messagesOfContents([{ role: 'model', parts: calls }]),
    messagesOfContents([{ role: 'user', parts: results }]),
  )
}

function putMessages(found: Found, prompt: readonly JsonObject[], completion: readonly JsonObject[]): void {
  if (prompt.length > 0) found.set('data.inputs.prompt', [...prompt])
  if (completion.length > 0) found.set('data.outputs.completion', [...completion])
}

const valueAt = (attributes: SentAttributes, key: string): Json => parsedValue(attributes.get(key) ?? null)
const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
