import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Handler, Preset, Role, Schemas, Template } from './handler.ts'
import { HANDLERS } from './handlers.ts'
import { type RoleFlags, rolesOf } from './revision-flags.ts'
import { managedUri, type Naming } from './uri.ts'

/** What a template is for, and whether lists show it. */
export interface TemplateFlags extends RoleFlags {
  is_archived: boolean
  is_recommended: boolean
}

/** A built-in handler as a starting point. `data` is that of a revision created from it. */
export interface TemplateRecord {
  key: string
  name: string
  description: string
  categories: readonly string[]
  flags: TemplateFlags
  uri: string
  schemas: Schemas
  data: { uri: string; schemas?: Schemas; parameters?: JsonObject }
}

/** Pinned values of a template; `data` is that of a revision created from it. */
export interface PresetRecord {
  key: string
  name: string
  description: string
  categories: readonly string[]
  flags: TemplateFlags
  data: { uri: string; schemas?: Schemas; parameters?: JsonObject }
}

/** A handler that the catalogue shows. */
type Shown = Handler & { template: Template }

const SHOWN = HANDLERS.filter((handler): handler is Shown => handler.template !== undefined)

/** Selects templates: those with a role (all if undefined), with or without archived ones. */
export interface TemplateChoice {
  role?: Role
  includeArchived: boolean
}

/** The templates of a role, in the order of the catalogue. */
export function listTemplates({ role, includeArchived }: TemplateChoice, settings: Naming): TemplateRecord[] {
  return shownFor(role)
    .filter(({ template }) => includeArchived || !template.isArchived)
    .map(handler => toTemplate(handler, settings))
}

/** One template with its presets, even if archived; undefined if the role has no template with that key. */
export function findTemplate(
  role: Role | undefined,
  key: string,
  settings: Naming,
): (TemplateRecord & { presets: PresetRecord[] }) | undefined {
  const handler = shownFor(role).find(one => one.key === key)
  return handler && { ...toTemplate(handler, settings), presets: presetsOf(handler, settings) }
}

function shownFor(role: Role | undefined): readonly Shown[] {
  return role === undefined ? SHOWN : SHOWN.filter(handler => handler.roles.includes(role))
}

function toTemplate(handler: Shown, settings: Naming): TemplateRecord {
  const { key, template, schemas = {} } = handler
  const uri = managedUri(handler, settings)
  const parameters = { ...scalarDefaults(schemas.parameters), ...template.parameters }
  return {
    key,
    name: template.name,
    description: template.description,
    categories: template.categories,
    flags: flagsOf(handler),
    uri,
    schemas,
    data: {
      uri,
      ...(handler.schemas ? { schemas } : {}),
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    },
  }
}

const presetsOf = (handler: Shown, settings: Naming): PresetRecord[] =>
  (handler.template.presets ?? []).map(preset => toPreset(handler, preset, settings))

function toPreset(handler: Shown, preset: Preset, settings: Naming): PresetRecord {
  const { key, name, description, parameters, schemas } = preset
  return {
    key,
    name,
    description,
    categories: handler.template.categories,
    flags: flagsOf(handler),
    data: {
      uri: managedUri(handler, settings),
      ...(schemas ? { schemas } : {}),
      ...(parameters ? { parameters } : {}),
    },
  }
}

const flagsOf = ({ roles, template }: Shown): TemplateFlags => ({
  ...rolesOf(roles),
  is_archived: template.isArchived ?? false,
  is_recommended: false,
})

/** The defaults in a parameters schema. */
function scalarDefaults(schema: Json | undefined): JsonObject {
  return Object.fromEntries(
    propertiesOf(schema).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** The properties that an object's schema describes. */
export function propertiesOf(schema: Json | undefined): [string, JsonObject][] {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
}
