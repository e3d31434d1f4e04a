import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import {
  checkRevisionData,
  enrichRevisionData,
  evaluatorHydration,
  findTemplate,
  HANDLERS,
  revisionFlags,
  shownRevisionData,
} from './index.ts'
import { parseHandlerUri } from './uri.ts'

const SETTINGS = { servicesUrl: 'https://host/services', uriPrefix: 'house' }
const OWNER = 'a project'

test.each([
  ['echo', { provider: 'agenta', kind: 'builtin', key: 'echo', version: 'latest' }],
  ['custom:hook', { provider: 'agenta', kind: 'custom', key: 'hook', version: 'latest' }],
  ['user:custom:mod.run', { provider: 'user', kind: 'custom', key: 'mod.run', version: 'latest' }],
  ['acme:builtin:x:v3', { provider: 'acme', kind: 'builtin', key: 'x', version: 'v3' }],
  ['a:b:c:d:e', null],
  ['', null],
  ['https://lab.example/judge', null],
])('%s is read as %j', (text, parts) => {
  expect(parseHandlerUri(text)).toEqual(parts)
})

test.each<[string, JsonObject, string | undefined]>([
  ['a built-in one', { uri: 'agenta:builtin:completion:v0' }, 'https://host/services/completion/v0'],
  ['under our own prefix', { uri: 'house:builtin:chat:v0' }, 'https://host/services/chat/v0'],
  ['the latest', { uri: 'echo' }, 'https://host/services/echo/v0'],
  ['with an address', { uri: 'agenta:builtin:chat:v0', url: 'https://mine/x' }, 'https://mine/x'],
  ['custom, not yet enriched', { uri: 'agenta:custom:hook:v0' }, undefined],
  ["somebody else's", { uri: 'acme:builtin:completion:v0' }, undefined],
  ['a skill', { uri: 'agenta:builtin:skill:v0' }, undefined],
  ['none', { parameters: {} }, undefined],
])('the address of %s is shown', (_name, data, url) => {
  expect(shownRevisionData(data, SETTINGS).url).toBe(url)
})

const NONE = Object.fromEntries(Object.keys(revisionFlags(null, 'x', SETTINGS)).map(name => [name, false]))

test.each<[string, JsonObject | null, Record<string, boolean>]>([
  ['nothing', null, {}],
  ['completion', { uri: 'agenta:builtin:completion:v0' }, { is_managed: true, has_url: true }],
  ['our prefix', { uri: 'house:builtin:match:v0' }, { is_managed: true, is_match: true, has_url: true }],
  ['another provider', { uri: 'acme:builtin:llm:v0' }, { is_llm: true }],
  ['a user handler', { uri: 'user:custom:m.f:latest', url: 'https://u' }, { is_custom: true, has_url: true }],
  ['chat', { uri: 'agenta:builtin:chat:v0' }, { is_managed: true, is_chat: true, has_url: true }],
  ['hook', { uri: 'agenta:custom:hook:v0' }, { is_managed: true, is_custom: true, is_hook: true, has_url: true }],
  ['an address', { uri: 'https://lab.example/judge' }, { is_custom: true, is_hook: true, has_url: true }],
  ['an address with a port', { uri: 'http://lab:80/j' }, { is_custom: true, is_hook: true, has_url: true }],
  ['a skill', { uri: 'skill', url: 'https://x', script: 'y' }, { is_managed: true, is_skill: true }],
  [
    'code',
    { uri: 'custom:code', script: 'x' },
    { is_code: true, is_custom: true, has_script: true, has_url: true, is_managed: true },
  ],
  ['five parts', { uri: 'a:b:c:d:e' }, {}],
  [
    'messages among the inputs',
    { schemas: { inputs: { properties: { m: { 'x-ag-type-ref': 'messages' } } } } },
    { is_chat: true },
  ],
])('the flags of %s', (_name, data, flags) => {
  expect(revisionFlags(data, 'x', SETTINGS)).toEqual({ ...NONE, ...flags })
})

test('a reserved slug is static', () => {
  expect(revisionFlags(null, '__ag__tone', SETTINGS).is_static).toBe(true)
})

const DRAFTS = [
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-04/schema#',
  'https://example.test/unknown',
]

test.each(DRAFTS)('schemas of %s are checked by their own rules', async $schema => {
  const mistakes = async (schema: object): Promise<number> => {
    const inputs = { ...($schema && { $schema }), ...schema } as JsonObject
    return (await checkRevisionData({ schemas: { inputs } }, SETTINGS, OWNER)).length
  }
  const isDraft4 = $schema?.includes('draft-04') ?? false
  expect(await mistakes({ type: 'object', properties: { a: { type: 'string', pattern: '^[\\w\\-]+\\-$' } } })).toBe(0)
  expect(await mistakes({ type: 'objet' })).toBe(1)
  expect(await mistakes({ properties: { a: { pattern: '(' } } })).toBe(1)
  expect(await mistakes({ required: 'a' })).toBe(1)
  expect(await mistakes({ minimum: 1, exclusiveMinimum: true })).toBe(isDraft4 ? 0 : 1)
  expect(await mistakes({ minimum: 1, exclusiveMinimum: 1 })).toBe(isDraft4 ? 1 : 0)
  expect(await mistakes({ id: 'x', $ref: 'https://example.test/elsewhere' })).toBe(0)
})

const nested = (depth: number): JsonObject => JSON.parse(`${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`)

test.each<[string, JsonObject, unknown[][]]>([
  ['nothing wrong', { uri: 'agenta:builtin:chat:v0', url: 'http://x/y', schemas: { inputs: true, outputs: null } }, []],
  ['a key that is not there', { uri: 'agenta:builtin:nope:v0' }, [['uri']]],
  ['a key of the other kind', { uri: 'house:custom:completion:v0' }, [['uri']]],
  ["somebody else's key", { uri: 'acme:builtin:nope:v0' }, []],
  ['an address without a host', { uri: 'https://' }, [['uri']]],
  ['another scheme', { url: 'ftp://x' }, [['url']]],
  ['no address', { url: 'x' }, [['url']]],
  ['an empty address', { url: '' }, [['url']]],
  [
    'two schemas',
    { schemas: { inputs: { type: 1 }, outputs: [] } },
    [
      ['schemas', 'inputs'],
      ['schemas', 'outputs'],
    ],
  ],
  ['a very deep schema', { schemas: { parameters: nested(3000) } }, [['schemas', 'parameters']]],
])('%s', async (_name, data, places) => {
  expect((await checkRevisionData(data, SETTINGS, OWNER)).map(one => one.loc)).toEqual(places)
})

const SCHEMA = { type: 'object', properties: { score: { type: 'number' } } }
const SUCCESS = { properties: { success: { type: 'boolean' } }, required: ['success'], additionalProperties: false }
const GRADED = { properties: { score: { type: 'number' }, success: { type: 'boolean' } }, additionalProperties: false }

test.each<[string, JsonObject, object]>([
  [
    'left-out schemas',
    { uri: 'chat' },
    { inputs: { type: 'object' }, parameters: {}, outputs: { 'x-ag-type-ref': 'message' } },
  ],
  [
    'schemas of its own',
    { uri: 'auto_exact_match', schemas: { outputs: SCHEMA } },
    { outputs: SCHEMA, parameters: {} },
  ],
  [
    'completion with a schema',
    {
      uri: 'completion',
      parameters: {
        prompt: { llm_config: { response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } } } },
      },
    },
    { outputs: { ...SCHEMA, type: ['string', 'object'] } },
  ],
  [
    'completion with placeholders in its schema',
    {
      uri: 'completion',
      parameters: {
        prompt: {
          llm_config: { response_format: { type: 'json_schema', json_schema: { schema: { type: '{{t}}' } } } },
        },
      },
    },
    { outputs: { type: ['string', 'object', 'array'] } },
  ],
  [
    'llm',
    { uri: 'llm', parameters: { response: { format: 'json', schema: SCHEMA } }, schemas: { outputs: {} } },
    { outputs: SCHEMA },
  ],
  [
    'llm with text',
    { uri: 'llm', parameters: { response: { format: 'text', schema: SCHEMA } } },
    { outputs: { required: ['status', 'messages'] } },
  ],
  [
    'a judge',
    { uri: 'auto_ai_critique', parameters: { json_schema: { schema: SCHEMA } } },
    { outputs: SCHEMA, inputs: {} },
  ],
  [
    'multi-field',
    { uri: 'json_multi_field_match', parameters: { fields: ['a', 'b.c'] } },
    {
      outputs: {
        properties: { aggregate_score: {}, a: { type: 'number' }, 'b.c': { type: 'number' } },
        required: ['aggregate_score'],
        additionalProperties: false,
      },
    },
  ],
  [
    'matchers',
    { uri: 'match', parameters: { matchers: [{ key: 'a', matchers: [{ key: 'b', target: 'x' }] }, { target: 'y' }] } },
    {
      outputs: {
        required: ['score', 'success'],
        properties: {
          a: { properties: { b: { properties: { error: {} } }, success: {} }, additionalProperties: false },
          '': { properties: { score: {} } },
        },
      },
    },
  ],
])('at commit: %s', async (_name, data, schemas) => {
  expect(await enrichRevisionData(data, SETTINGS, OWNER)).toMatchObject({ schemas })
})

test.each<[string, JsonObject, object]>([
  ['custom without an address', { uri: 'agenta:custom:hook:v0' }, { url: 'https://host/services/hook/v0' }],
  ['custom with one', { uri: 'agenta:custom:hook:v0', url: 'https://mine' }, { url: 'https://mine' }],
  ['a web address', { uri: 'https://lab.example/judge' }, { url: 'https://lab.example/judge' }],
  ['a web address beside another', { uri: 'https://lab.example/judge', url: 'https://b' }, { url: 'https://b' }],
])('at commit: %s', async (_name, data, more) => {
  expect(await enrichRevisionData(data, SETTINGS, OWNER)).toEqual({ ...data, ...more })
})

test('a built-in address is not stored, and of a skill only the content', async () => {
  expect(await enrichRevisionData({ uri: 'agenta:builtin:chat:v0' }, SETTINGS, OWNER)).not.toHaveProperty('url')
  const skill = { uri: 'agenta:builtin:skill:v0', parameters: { body: 'x' }, schemas: { parameters: SCHEMA } }
  const more = { url: 'https://x', script: 'y', schemas: { parameters: SCHEMA, outputs: SCHEMA } }
  expect(await enrichRevisionData({ ...skill, ...more }, SETTINGS, OWNER)).toEqual(skill)
})

test.each<[string, object | undefined]>([
  ['auto_exact_match', SUCCESS],
  ['auto_contains_json', SUCCESS],
  ['field_match_test', SUCCESS],
  ['auto_levenshtein_distance', GRADED],
  ['auto_semantic_similarity', GRADED],
  ['auto_similarity_match', GRADED],
  ['auto_json_diff', GRADED],
  ['auto_webhook_test', GRADED],
  ['auto_ai_critique', GRADED],
  ['match', { required: ['score', 'success'] }],
  ['llm', { required: ['status', 'messages'] }],
  ['echo', { properties: { got: {} } }],
])('the simple evaluator surface gives %s its schemas', async (key, outputs) => {
  const sent = {
    uri: `agenta:builtin:${key}:v0`,
    url: 'https://x',
    schemas: { outputs: { type: 'null' }, parameters: {}, inputs: SCHEMA },
  }
  const data = await evaluatorHydration(sent as JsonObject, SETTINGS, OWNER)
  expect(data).toMatchObject({ uri: sent.uri, schemas: { outputs, inputs: SCHEMA, parameters: { type: 'object' } } })
  expect(data).not.toHaveProperty('url')
})

test.each<[string, JsonObject, object | undefined]>([
  ['auto_ai_critique', { json_schema: { schema: SCHEMA } }, SCHEMA],
  ['auto_custom_code_run', { version: '3' }, undefined],
  ['auto_custom_code_run', { version: '2' }, GRADED],
  ['json_multi_field_match', { fields: ['a'] }, { properties: { aggregate_score: {}, a: {} } }],
])('the parameters of %s decide: %j', async (key, parameters, outputs) => {
  const sent = { uri: `agenta:builtin:${key}:v0`, parameters }
  const { schemas } = (await evaluatorHydration(sent, SETTINGS, OWNER)) as { schemas: any }
  if (outputs) expect(schemas.outputs).toMatchObject(outputs)
  else expect(schemas).not.toHaveProperty('outputs')
})

test('code whose result is free keeps the outputs schema it came with', async () => {
  const uri = 'agenta:builtin:auto_custom_code_run:v0'
  const sent = { uri, parameters: { version: '3' }, schemas: { outputs: SCHEMA } }
  expect(await evaluatorHydration(sent, SETTINGS, OWNER)).toMatchObject({ schemas: { outputs: SCHEMA } })
})

test('any other data keeps the schemas it came with', async () => {
  const data = { uri: 'agenta:custom:feedback:v0', url: 'https://x', schemas: { outputs: SCHEMA } }
  expect(await evaluatorHydration(data, SETTINGS, OWNER)).toBe(data)
})

test('keys are unique, and every schema is well-formed', async () => {
  expect(new Set(HANDLERS.map(handler => handler.key)).size).toBe(HANDLERS.length)
  for (const { schemas } of HANDLERS)
    expect(await checkRevisionData({ schemas: { ...schemas } }, SETTINGS, OWNER)).toEqual([])
})

test('schemas of the catalogue wait for no thread, however many revisions have them', async () => {
  const offered = ['feedback', 'auto_exact_match'].flatMap(key => {
    const template = findTemplate('evaluator', key, SETTINGS)
    return template ? [template.data, ...template.presets.map(preset => preset.data)] : []
  })
  const revisions = offered.flatMap(data => Array<JsonObject>(200).fill(JSON.parse(JSON.stringify(data))))
  expect((await Promise.all(revisions.map(data => checkRevisionData(data, SETTINGS, OWNER)))).flat()).toEqual([])
})
