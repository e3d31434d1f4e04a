import type { JsonObject } from '@spanhouse/model'

const TEXT: JsonObject = { type: 'string' }
const OPTIONAL_TEXT: JsonObject = { type: ['string', 'null'] }
const OPEN: JsonObject = { type: 'object', additionalProperties: true }
const OBJECTS: JsonObject = { type: 'array', items: { type: 'object' } }

const object = (properties: JsonObject, required?: string[]): JsonObject => ({
  type: 'object',
  properties,
  ...(required ? { required } : {}),
})

/** Instructions and files that an agent takes in when it needs them. */
export const skillTemplate: JsonObject = {
  ...object(
    {
      name: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 },
      description: { type: 'string', maxLength: 1024 },
      body: { type: 'string', maxLength: 50_000 },
      files: { type: 'array', items: object({ path: TEXT, content: TEXT }, ['path']) },
      disable_model_invocation: { type: 'boolean', default: false },
      allow_executable_files: { type: 'boolean', default: false },
    },
    ['name', 'description'],
  ),
  'x-ag-type': 'skill-template',
}

/** An agent: what it is told, the model it thinks with, what it may use, and where it runs. */
export const agentTemplate: JsonObject = {
  ...object({
    instructions: object({ agents_md: TEXT }),
    llm: object({
      model: TEXT,
      provider: OPTIONAL_TEXT,
      connection: { ...object({ mode: OPTIONAL_TEXT, slug: OPTIONAL_TEXT }), type: ['object', 'null'] },
      extras: OPEN,
    }),
    tools: OBJECTS,
    mcps: OBJECTS,
    skills: OBJECTS,
    harness: object({ kind: TEXT, permissions: OPEN, extras: OPEN }),
    runner: object({
      kind: { type: 'string', enum: ['sidecar'], default: 'sidecar' },
      permissions: object({ default: { type: 'string', enum: ['allow', 'ask', 'deny', 'allow_reads'] } }),
      extras: OPEN,
    }),
    sandbox: object({ kind: { type: 'string', enum: ['local', 'daytona'] }, permissions: OPEN, extras: OPEN }),
  }),
  'x-ag-type': 'agent-template',
}
