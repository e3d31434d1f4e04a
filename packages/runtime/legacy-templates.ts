import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { propertiesOf } from './catalogue.ts'
import type { Handler, LegacyTraits, Template } from './handler.ts'
import { HANDLERS } from './handlers.ts'

/** An evaluator template in the older form, with settings instead of schemas. */
export interface LegacyTemplate {
  name: string
  key: string
  direct_use: boolean
  settings_presets?: { key: string; name: string; values: JsonObject; description: string }[]
  /** By setting: `label`, `type`, `default`?, `required`?, `description`, `x-ag-ui-advanced`. */
  settings_template: Record<string, JsonObject>
  outputs_schema?: Json
  description: string
  oss: boolean
  requires_llm_api_keys: boolean
  tags: readonly string[]
  archived: boolean
}

type Listed = Handler & { template: Template; legacy: LegacyTraits }

const LISTED = HANDLERS.filter((handler): handler is Listed => handler.legacy !== undefined)

/** The templates of the older list. */
export const listLegacyTemplates = (includeArchived: boolean): LegacyTemplate[] =>
  LISTED.filter(({ template }) => includeArchived || !template.isArchived).map(toLegacyTemplate)

function toLegacyTemplate({ key, template, legacy, schemas = {} }: Listed): LegacyTemplate {
  const presets = (template.presets ?? []).map(({ key, name, description, parameters = {} }) => ({
    key,
    name,
    description,
    values: parameters,
  }))
  return {
    name: template.name,
    key,
    direct_use: legacy.directUse,
    ...(presets.length > 0 ? { settings_presets: presets } : {}),
    settings_template: settingsOf(schemas.parameters, template.parameters ?? {}),
    ...(schemas.outputs === undefined ? {} : { outputs_schema: schemas.outputs }),
    description: template.description,
    oss: true,
    requires_llm_api_keys: legacy.requiresModel,
    tags: template.categories,
    archived: template.isArchived ?? false,
  }
}

function settingsOf(schema: Json | undefined, defaults: JsonObject): Record<string, JsonObject> {
  const listed = isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : []
  const required = new Set<Json>(listed)
  return Object.fromEntries(
    propertiesOf(schema).map(([name, property]) => [name, settingOf(property, defaults[name], required.has(name))]),
  )
}

function settingOf(property: JsonObject, nonScalar: Json | undefined, isRequired: boolean): JsonObject {
  const value = nonScalar ?? property.default
  return {
    label: property.title ?? '',
    type: property['x-ag-type'] ?? property['x-ag-type-ref'] ?? '',
    ...(value === undefined ? {} : { default: value }),
    ...(isRequired ? { required: true } : {}),
    description: property.description ?? '',
    'x-ag-ui-advanced': property['x-ag-ui-advanced'] ?? false,
  }
}
