import { expect, inject, test } from 'vitest'
import { ask, newProject } from '../harness.ts'

const project = await newProject()
const get = async (path: string): Promise<any> => {
  const { status, body } = await project.get(`/api${path}`)
  expect(status, path).toBe(200)
  return body
}

const FAMILIES = ['workflows', 'applications', 'evaluators'] as const

/** `A` for application, `E` for evaluator; the parameters are those that have a default. */
type Row = [
  key: string,
  name: string,
  kind: string,
  roles: string,
  archived: boolean,
  categories: string[],
  parameters?: string[],
]

const JUDGE = ['json_schema', 'model', 'prompt_template', 'response_type', 'version']
const DIFF = ['case_insensitive_keys', 'compare_schema_only', 'correct_answer_key', 'predict_keys']

const TEMPLATES: Row[] = [
  ['feedback', 'Custom Feedback', 'custom', 'AE', false, []],
  ['hook', 'Custom Hook', 'custom', 'AE', false, []],
  ['code', 'Custom Code', 'custom', 'AE', false, []],
  ['mock', 'Mock', 'custom', 'AE', true, ['custom']],
  ['match', 'Builtin Matcher', 'builtin', 'E', false, [], ['score', 'success', 'threshold']],
  ['llm', 'Builtin LLM', 'builtin', 'AE', false, [], ['messages']],
  ['chat', 'chat', 'builtin', 'A', false, ['builtin'], ['prompt']],
  ['completion', 'completion', 'builtin', 'A', false, ['builtin'], ['prompt']],
  ['agent', 'agent', 'builtin', 'A', false, ['builtin'], ['agent']],
  ['echo', 'Echo', 'builtin', 'E', true, ['builtin']],
  ['auto_exact_match', 'Exact Match', 'builtin', 'E', false, ['classifiers'], ['correct_answer_key']],
  ['auto_regex_test', 'Regex Test', 'builtin', 'E', false, ['classifiers'], ['regex_pattern', 'regex_should_match']],
  ['field_match_test', 'JSON Field Match', 'builtin', 'E', true, ['classifiers'], ['correct_answer_key', 'json_field']],
  [
    'json_multi_field_match',
    'JSON Multi-Field Match',
    'builtin',
    'E',
    false,
    ['classifiers'],
    ['correct_answer_key', 'fields'],
  ],
  ['auto_webhook_test', 'Webhook test', 'builtin', 'E', false, ['custom']],
  ['auto_custom_code_run', 'Code Evaluation', 'builtin', 'E', false, ['custom'], ['code', 'runtime', 'version']],
  ['auto_ai_critique', 'LLM-as-a-judge', 'builtin', 'E', false, ['ai_llm'], JUDGE],
  ['auto_starts_with', 'Starts With', 'builtin', 'E', true, ['classifiers'], ['case_sensitive']],
  ['auto_ends_with', 'Ends With', 'builtin', 'E', true, ['classifiers'], ['case_sensitive']],
  ['auto_contains', 'Contains', 'builtin', 'E', true, ['classifiers'], ['case_sensitive']],
  ['auto_contains_any', 'Contains Any', 'builtin', 'E', true, ['classifiers'], ['case_sensitive']],
  ['auto_contains_all', 'Contains All', 'builtin', 'E', true, ['classifiers'], ['case_sensitive']],
  ['auto_contains_json', 'Contains JSON', 'builtin', 'E', false, ['classifiers']],
  ['auto_json_diff', 'JSON Diff Match', 'builtin', 'E', false, ['classifiers'], DIFF],
  ['auto_levenshtein_distance', 'Levenshtein Distance', 'builtin', 'E', false, ['similarity'], ['correct_answer_key']],
  [
    'auto_similarity_match',
    'Similarity Match',
    'builtin',
    'E',
    false,
    ['similarity'],
    ['correct_answer_key', 'similarity_threshold'],
  ],
  [
    'auto_semantic_similarity',
    'Semantic Similarity Match',
    'builtin',
    'E',
    false,
    ['similarity'],
    ['correct_answer_key'],
  ],
]

test.each(TEMPLATES)('template %s', async (key, name, kind, roles, is_archived, categories, parameters) => {
  const { count, template } = await get(`/workflows/catalog/templates/${key}`)
  expect(count).toBe(1)
  expect(template).toMatchObject({ key, name, categories, uri: `agenta:${kind}:${key}:v0` })
  expect(template.flags).toEqual({
    is_application: roles.includes('A'),
    is_evaluator: roles.includes('E'),
    is_snippet: false,
    is_archived,
    is_recommended: false,
  })
  expect(Object.keys(template.data.parameters ?? {}).sort()).toEqual(parameters ?? [])
  expect(template.data.schemas ?? {}).toEqual(template.schemas)
  for (const family of FAMILIES) {
    const shown = family === 'workflows' || roles.includes(family === 'applications' ? 'A' : 'E')
    expect(await get(`/${family}/catalog/templates/${key}`)).toEqual(shown ? { count: 1, template } : { count: 0 })
  }
})

/** How many templates have the letter of a role, and how many of them are not archived. */
const countsOf = (letter: string): { visible: number; total: number } => {
  const ofRole = TEMPLATES.filter(([, , , roles]) => roles.includes(letter))
  return { visible: ofRole.filter(([, , , , isArchived]) => !isArchived).length, total: ofRole.length }
}

test.each([
  ['workflows', ''],
  ['applications', 'A'],
  ['evaluators', 'E'],
])('%s list all templates, without the archived ones unless these are asked for', async (family, letter) => {
  const { visible, total } = countsOf(letter)
  for (const [query, count] of [
    ['', visible],
    ['/', visible],
    ['?include_archived=false', visible],
    ['?include_archived=true', total],
    ['/?include_archived=1', total],
  ]) {
    const body = await get(`/${family}/catalog/templates${query}`)
    expect(body.count).toBe(count)
    expect(body.templates).toHaveLength(count as number)
    for (const template of body.templates) expect(template).not.toHaveProperty('presets')
  }
})

test.each([
  ['is_application=true', countsOf('A').visible],
  ['is_application=false', countsOf('').visible - countsOf('A').visible],
  ['is_evaluator=true&include_archived=true', countsOf('E').total],
  ['is_evaluator=true&is_application=true', countsOf('AE').visible],
  ['is_snippet=true', 0],
])('workflows with %s: %i', async (query, count) => {
  expect((await get(`/workflows/catalog/templates/?${query}`)).count).toBe(count)
})

const PRESETS: [string, string[]][] = [
  ['feedback', ['quality-rating']],
  ['auto_regex_test', ['starts_with', 'ends_with', 'contains', 'contains_any', 'contains_all']],
  ['auto_custom_code_run', ['python_default', 'javascript_default', 'typescript_default']],
  ['auto_ai_critique', ['hallucination', 'conciseness', 'answer_relevancy', 'helpfulness']],
  ['auto_exact_match', []],
]

test.each(PRESETS)('presets of %s', async (key, keys) => {
  const base = `/evaluators/catalog/templates/${key}`
  const { count, presets } = await get(`${base}/presets/`)
  expect(count).toBe(keys.length)
  expect(presets.map((preset: any) => preset.key)).toEqual(keys)
  const { template } = await get(base)
  expect(template.presets).toEqual(presets)
  for (const preset of presets) {
    expect(await get(`${base}/presets/${preset.key}`)).toEqual({ count: 1, preset })
    expect(preset.data.uri).toBe(template.uri)
    expect(preset).toMatchObject({ categories: template.categories, flags: template.flags })
  }
})

const preset = async (template: string, key: string): Promise<any> =>
  (await get(`/workflows/catalog/templates/${template}/presets/${key}`)).preset

test('what presets pin', async () => {
  expect((await preset('feedback', 'quality-rating')).data).toMatchObject({
    schemas: { outputs: { required: ['approved'], additionalProperties: false } },
  })
  expect((await preset('auto_regex_test', 'contains_all')).data.parameters).toEqual({
    regex_should_match: true,
    regex_pattern: '(?=.*SUBSTRING1)(?=.*SUBSTRING2)(?=.*SUBSTRING3).*',
  })
  expect((await preset('auto_custom_code_run', 'typescript_default')).data.parameters).toMatchObject({
    runtime: 'typescript',
    version: '3',
    correct_answer_key: 'correct_answer',
    requires_llm_api_keys: false,
    code: expect.stringContaining('evaluate('),
  })
  const judge = (await preset('auto_ai_critique', 'answer_relevancy')).data.parameters
  expect(judge).toMatchObject({
    model: 'gpt-4o-mini',
    response_type: 'json_schema',
    version: '5',
    template_format: 'mustache',
    json_schema: {
      name: 'schema',
      strict: true,
      schema: { required: ['question', 'score'], additionalProperties: false },
    },
  })
  expect(judge.prompt_template[1].content).not.toContain('{{inputs}}')
})

test('the exact match, as the interface shows it', async () => {
  const { template } = await get('/evaluators/catalog/templates/auto_exact_match')
  expect(template.data).toMatchObject({
    uri: 'agenta:builtin:auto_exact_match:v0',
    schemas: {
      parameters: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          correct_answer_key: {
            type: 'string',
            default: 'correct_answer',
            'x-ag-type': 'text',
            'x-ag-ui-advanced': true,
          },
        },
        additionalProperties: false,
      },
      outputs: { properties: { success: { type: 'boolean' } }, required: ['success'], additionalProperties: false },
    },
    parameters: { correct_answer_key: 'correct_answer' },
  })
})

test('defaults that are not scalars are listed next to the schema, and keep their nulls', async () => {
  const { data } = (await get('/applications/catalog/templates/completion')).template
  expect(data.parameters.prompt).toMatchObject({
    template_format: 'mustache',
    input_keys: null,
    llm_config: { model: 'gpt-4o-mini' },
    messages: [{ role: 'system' }, { role: 'user', content: expect.stringContaining('{{country}}') }],
  })
  expect(data.schemas.parameters.properties.prompt).toMatchObject({ 'x-ag-type-ref': 'prompt-template' })
  expect(data.schemas.parameters.properties.prompt).not.toHaveProperty('default')
})

test.each([
  ['/workflows/catalog/templates/nope', { count: 0 }],
  ['/applications/catalog/templates/auto_exact_match', { count: 0 }],
  ['/evaluators/catalog/templates/skill', { count: 0 }],
  ['/evaluators/catalog/templates/nope/presets', { count: 0, presets: [] }],
  ['/evaluators/catalog/templates/chat/presets', { count: 0, presets: [] }],
  ['/evaluators/catalog/templates/auto_regex_test/presets/nope', { count: 0 }],
  ['/evaluators/catalog/templates/nope/presets/nope', { count: 0 }],
])('%s: nothing is no error', async (path, body) => {
  expect(await get(path)).toEqual(body)
})

test('types are the same everywhere, and one unknown is not found', async () => {
  const { count, types } = await get('/workflows/catalog/types/')
  expect(count).toBe(16)
  for (const family of FAMILIES) {
    expect(await get(`/${family}/catalog/types`)).toEqual({ count, types })
    expect(await get(`/${family}/catalog/types/prompt-template`)).toMatchObject({
      count: 1,
      type: { key: 'prompt-template' },
    })
    const { status, body } = await project.get(`/api/${family}/catalog/types/nope`)
    expect([status, typeof body.detail]).toEqual([404, 'string'])
  }
  const { json_schema } = types.find((type: any) => type.key === 'model')
  expect(json_schema).toMatchObject({ type: 'string', default: 'gpt-4o-mini', 'x-ag-type': 'grouped_choice' })
  expect(json_schema['x-ag-metadata'].openai['gpt-4o-mini']).toEqual({ input: 0.15, output: 0.6 })
})

test('harnesses', async () => {
  const { count, harnesses } = await get('/workflows/catalog/harnesses/')
  expect([count, harnesses.map((one: any) => one.key)]).toEqual([4, ['pi_core', 'pi_agenta', 'claude', 'codex']])
  expect(await get('/workflows/catalog/harnesses/claude')).toMatchObject({ count: 1, harness: { key: 'claude' } })
  expect((await project.get('/api/workflows/catalog/harnesses/nope')).status).toBe(404)
})

test('the older list of evaluator templates', async () => {
  expect((await get('/simple/evaluators/templates')).count).toBe(11)
  const { count, templates } = await get('/preview/simple/evaluators/templates/?include_archived=true')
  expect(count).toBe(17)
  expect(templates.find((one: any) => one.key === 'auto_regex_test')).toMatchObject({
    direct_use: false,
    oss: true,
    requires_llm_api_keys: false,
    archived: false,
    tags: ['classifiers'],
    settings_presets: { length: 5 },
    settings_template: { regex_pattern: { label: 'Pattern', type: 'regex', default: '', required: true } },
    outputs_schema: { required: ['success'] },
  })
})

test('statuses: no key, no such verb, no boolean', async () => {
  const anonymous = (path: string) => ask(inject('target').apiUrl + path)
  const paths = [
    '/api/evaluators/catalog/templates',
    '/api/workflows/catalog/types/',
    '/api/simple/evaluators/templates',
  ]
  for (const path of paths) {
    expect((await anonymous(path)).status).toBe(401)
    expect((await project.post(path, {})).status).toBe(405)
  }
  const { status, body } = await project.get('/api/evaluators/catalog/templates?include_archived=perhaps')
  expect([status, body.detail[0].type, body.detail[0].loc]).toEqual([
    422,
    'bool_parsing',
    ['query', 'include_archived'],
  ])
})
