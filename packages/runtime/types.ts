import type { JsonObject } from '@spanhouse/model'
import { DIALECT } from './schema/schema-parts.ts'
import { agentTemplate, skillTemplate } from './types/agent-template.ts'
import { llm, llms, model } from './types/llm.ts'
import { context, loop, permissions, response, tool, tools } from './types/loop.ts'
import { message, messages } from './types/message.ts'
import { promptTemplate } from './types/prompt-template.ts'

/** A type of the catalogue; other schemas refer to it with `x-ag-type-ref`. It contains no references itself. */
export interface CatalogueType {
  key: string
  json_schema: JsonObject
}

const named = (key: string, schema: JsonObject): CatalogueType => ({
  key,
  json_schema: { $schema: DIALECT, ...schema },
})

const anything = (key: string): CatalogueType =>
  named(key, { type: 'object', additionalProperties: true, 'x-ag-type': key })

/** Every type of the catalogue. A new one is a row here. */
export const TYPES: readonly CatalogueType[] = [
  named('message', message),
  named('messages', messages),
  named('model', model),
  named('llm', llm),
  named('llms', llms),
  named('loop', loop),
  named('tool', tool),
  named('tools', tools),
  named('context', context),
  named('permissions', permissions),
  named('response', response),
  named('prompt-template', promptTemplate),
  named('agent-template', agentTemplate),
  named('skill-template', skillTemplate),
  anything('run_request'),
  anything('run_result'),
]
