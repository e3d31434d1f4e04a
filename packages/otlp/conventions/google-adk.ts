import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { parseObjectText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { memberOf, messagesOfContents } from './messages/gemini-messages.ts'
import { putUsage } from './usage.ts'
import { parsedValue } from './value.ts'

const ADK = 'gcp.vertex.agent.'

/**
 * Google's Agent Development Kit, which sends requests and responses in the form of Gemini's API. For its attributes
 * under `gen_ai.*` see `gen-ai.ts`; they count no thoughts.
 */
export const googleAdk: Convention = {
  name: 'google-adk',
  rows: [
    ...rowsOf({ [`${ADK}session_id`]: 'session.id', [`${ADK}invocation_id`]: 'meta.invocation.id' }),
    ...lookedAt(...['llm_request', 'llm_response', 'tool_call_args', 'tool_response'].map(name => ADK + name)),
  ],
  complete(found, { attributes }) {
    if (attributes.get('gen_ai.operation.name') === 'execute_tool') return putToolCall(found, attributes)
    if (!attributes.has(`${ADK}llm_request`)) return
    const request = objectAt(attributes, 'llm_request')
    const response = objectAt(attributes, 'llm_response')
    found.set('type.span', 'chat')
    if (Array.isArray(request.contents)) putRequest(found, request)
    if (isJsonObject(response.content)) found.set('data.outputs.completion', messagesOfContents([response.content]))
    putUsage(found, 'tokens', usageIn(response))
  },
}

/** Tools have the attributes of a request and a response, too, but they are empty. */
function putToolCall(found: Found, attributes: SentAttributes): void {
  const args = attributes.get(`${ADK}tool_call_args`) ?? null
  const result = attributes.get(`${ADK}tool_response`) ?? null
  if (args !== null) found.set('data.inputs.arguments', parsedValue(args))
  if (result !== null) found.set('data.outputs', parsedValue(result))
}

function putRequest(found: Found, { contents, config }: JsonObject): void {
  const { tools } = isJsonObject(config) ? config : {}
  const system = isJsonObject(config) ? memberOf(config, 'systemInstruction') : undefined
  const prompt = messagesOfContents(contents)
  const isText = typeof system === 'string'
  if (isText) prompt.unshift({ role: 'system', content: system })
  else if (isJsonObject(system)) prompt.unshift(...messagesOfContents([{ ...system, role: 'system' }]))
  found.set('data.inputs.prompt', prompt)
  if (tools !== undefined) found.set('data.inputs.tools', tools)
}

/** Thoughts are counted beside the answer, unless the total tells otherwise. */
function usageIn(response: JsonObject): JsonObject | undefined {
  const usage = memberOf(response, 'usageMetadata')
  if (!isJsonObject(usage)) return undefined
  return withoutAbsent({
    input_tokens: memberOf(usage, 'promptTokenCount'),
    output_tokens: memberOf(usage, 'candidatesTokenCount'),
    total_tokens: memberOf(usage, 'totalTokenCount'),
    input_tokens_details: withoutAbsent({ cached_tokens: memberOf(usage, 'cachedContentTokenCount') }),
    output_tokens_details: withoutAbsent({ reasoning_tokens: memberOf(usage, 'thoughtsTokenCount') }),
  })
}

function objectAt(attributes: SentAttributes, name: string): JsonObject {
  const value: Json | undefined = attributes.get(ADK + name)
  return (typeof value === 'string' ? parseObjectText(value) : isJsonObject(value) ? value : undefined) ?? {}
}
