import { expect, test } from 'vitest'
import { checkRevisionData, findTemplate, listLegacyTemplates, listTemplates, TYPES, validateAgainst } from './index.ts'
import { schemaMistake } from './schema/well-formed.ts'

const SETTINGS = { servicesUrl: 'https://host/services', uriPrefix: 'house' }
const OWNER = 'a project'
const EVERYTHING = listTemplates({ includeArchived: true }, SETTINGS)

test.each(EVERYTHING.map(template => [template.key, template] as const))('%s is whole', async (key, template) => {
  expect(template.uri).toMatch(new RegExp(`^house:(builtin|custom):${key}:v0$`))
  expect(template.data.uri).toBe(template.uri)
  expect(await checkRevisionData({ uri: template.uri, schemas: { ...template.schemas } }, SETTINGS, OWNER)).toEqual([])
  const { parameters } = template.schemas
  for (const name of Object.keys(template.data.parameters ?? {}))
    expect((parameters as any).properties).toHaveProperty([name])
})

test.each(
  EVERYTHING.flatMap(({ key }) =>
    (findTemplate(undefined, key, SETTINGS)?.presets ?? []).map(preset => [key, preset.key, preset] as const),
  ),
)('%s, preset %s: fits the schema of its template', async (key, _preset, { data }) => {
  const template = findTemplate(undefined, key, SETTINGS)
  expect(data.uri).toBe(template?.uri)
  if (data.parameters)
    expect(await validateAgainst(template?.schemas.parameters ?? true, data.parameters, OWNER)).toEqual([])
  expect(await checkRevisionData({ schemas: { ...data.schemas } }, SETTINGS, OWNER)).toEqual([])
})

test.each(TYPES.map(type => [type.key, type.json_schema] as const))(
  'type %s is well-formed and complete in itself',
  (key, schema) => {
    expect(schemaMistake(schema)).toBe(null)
    expect(JSON.stringify(schema)).not.toContain('$ref')
    expect(schema['x-ag-type']).toBe(key === 'model' ? 'grouped_choice' : key)
  },
)

test('every type that schemas refer to is there', () => {
  const text = JSON.stringify(EVERYTHING)
  const named = new Set([...text.matchAll(/"x-ag-type-ref":"([^"]+)"/g)].map(([, name]) => name))
  expect([...named].filter(name => !TYPES.some(type => type.key === name))).toEqual([])
  expect(named.size).toBeGreaterThan(8)
})

test('the default prompts and agents fit their types', async () => {
  const typeOf = (key: string) => TYPES.find(type => type.key === key)?.json_schema ?? false
  for (const key of ['completion', 'chat'])
    expect(
      await validateAgainst(
        typeOf('prompt-template'),
        findTemplate('application', key, SETTINGS)?.data.parameters?.prompt ?? null,
        OWNER,
      ),
    ).toEqual([])
  expect(
    await validateAgainst(
      typeOf('agent-template'),
      findTemplate('application', 'agent', SETTINGS)?.data.parameters?.agent ?? null,
      OWNER,
    ),
  ).toEqual([])
})

test('the older list', () => {
  expect(listLegacyTemplates(false)).toHaveLength(11)
  expect(listLegacyTemplates(true)).toHaveLength(17)
  expect(listLegacyTemplates(true).flatMap(one => (one.direct_use ? [one.key] : []))).toEqual([
    'auto_exact_match',
    'auto_contains_json',
  ])
  for (const { settings_template } of listLegacyTemplates(true))
    for (const setting of Object.values(settings_template))
      expect([setting.label, setting.type, setting.description]).not.toContain('')
})
