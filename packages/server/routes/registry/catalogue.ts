import { Problem } from '@spanhouse/model'
import {
  findTemplate,
  HARNESSES,
  listLegacyTemplates,
  listTemplates,
  type Role,
  type RuntimeSettings,
  type TemplateRecord,
  TYPES,
} from '@spanhouse/runtime'
import { booleanText, jsonObject, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { one } from '../../http/answer/envelopes.ts'
import { addEndpoint } from '../../http/endpoint.ts'

const tag = 'catalogue'
const method = 'GET'

/** The endpoints that show the catalogue, and the role of each. */
const SURFACES: readonly { plural: string; role?: Role }[] = [
  { plural: 'workflows' },
  { plural: 'applications', role: 'application' },
  { plural: 'evaluators', role: 'evaluator' },
]

const archived = { include_archived: optional(booleanText) }
const roleFlags = {
  is_application: optional(booleanText),
  is_evaluator: optional(booleanText),
  is_snippet: optional(booleanText),
}
const byKey = z.object({ key: z.string() })
const byPresetKey = z.object({ key: z.string(), preset_key: z.string() })

const count = z.int()
const type = z.object({ key: z.string(), json_schema: jsonObject })
const entry = {
  key: z.string(),
  name: z.string(),
  description: z.string(),
  categories: z.array(z.string()),
  flags: z.record(z.string(), z.boolean()),
  data: z.object({ uri: z.string(), schemas: jsonObject.optional(), parameters: jsonObject.optional() }),
}
const preset = z.object(entry)
const template = z.object({ ...entry, uri: z.string(), schemas: jsonObject, presets: z.array(preset).optional() })
const harness = z.object({ key: z.string(), capabilities: jsonObject })

/** Starting points: templates, their presets, and the types that their schemas refer to. */
export function catalogueRoutes(config: RuntimeSettings): (app: FastifyInstance) => void {
  return app => {
    for (const { plural, role } of SURFACES) {
      addTypes(app, plural)
      addTemplates(app, plural, role, config)
      addPresets(app, plural, role, config)
    }
    addHarnesses(app)
    addLegacyTemplates(app)
  }
}

function addTypes(app: FastifyInstance, plural: string): void {
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/types`,
    summary: 'Lists the types that the schemas of templates refer to.',
    answer: z.object({ count, types: z.array(type) }),
    handle: () => ({ count: TYPES.length, types: TYPES }),
  })
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/types/:key`,
    summary: 'Returns a type with its JSON Schema.',
    params: byKey,
    answer: z.object({ count, type }),
    handle: ({ params }) => ({ count: 1, type: known(TYPES, params.key, 'type') }),
  })
}

/** An unknown template or preset is not an error in this interface: callers check `count`. */
function addTemplates(app: FastifyInstance, plural: string, role: Role | undefined, config: RuntimeSettings): void {
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/templates`,
    summary: 'Lists the templates.',
    query: z.object(role ? archived : { ...archived, ...roleFlags }),
    answer: z.object({ count, templates: z.array(template) }),
    handle: ({ query: { include_archived, ...flags } }) => {
      const templates = listTemplates({ role, includeArchived: include_archived ?? false }, config)
      return listed(
        'templates',
        templates.filter(one => hasFlags(one, flags)),
      )
    },
  })
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/templates/:key`,
    summary: 'Returns a template with its presets, archived or not.',
    params: byKey,
    answer: z.object({ count, template: template.optional() }),
    handle: ({ params }) => one('template', findTemplate(role, params.key, config)),
  })
}

function addPresets(app: FastifyInstance, plural: string, role: Role | undefined, config: RuntimeSettings): void {
  const presetsOf = (key: string) => findTemplate(role, key, config)?.presets ?? []
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/templates/:key/presets`,
    summary: 'Lists the presets of a template.',
    params: byKey,
    query: z.object(archived),
    answer: z.object({ count, presets: z.array(preset) }),
    handle: ({ params }) => listed('presets', presetsOf(params.key)),
  })
  addEndpoint(app, {
    method,
    tag,
    path: `/${plural}/catalog/templates/:key/presets/:preset_key`,
    summary: 'Returns a preset.',
    params: byPresetKey,
    answer: z.object({ count, preset: preset.optional() }),
    handle: ({ params: { key, preset_key } }) =>
      one(
        'preset',
        presetsOf(key).find(one => one.key === preset_key),
      ),
  })
}

function addHarnesses(app: FastifyInstance): void {
  addEndpoint(app, {
    method,
    tag,
    path: '/workflows/catalog/harnesses',
    summary: 'Lists the programs that can run agents.',
    answer: z.object({ count, harnesses: z.array(harness) }),
    handle: () => listed('harnesses', HARNESSES),
  })
  addEndpoint(app, {
    method,
    tag,
    path: '/workflows/catalog/harnesses/:key',
    summary: 'Returns one of the programs that can run agents.',
    params: byKey,
    answer: z.object({ count, harness }),
    handle: ({ params }) => ({ count: 1, harness: known(HARNESSES, params.key, 'harness') }),
  })
}

function addLegacyTemplates(app: FastifyInstance): void {
  addEndpoint(app, {
    method,
    tag,
    path: '/simple/evaluators/templates',
    deprecated: true,
    summary: 'Lists the evaluator templates in their older form.',
    query: z.object(archived),
    answer: z.object({ count, templates: z.array(jsonObject) }),
    handle: ({ query }) => listed('templates', listLegacyTemplates(query.include_archived ?? false)),
  })
}

const listed = <T>(name: string, records: readonly T[]) => ({ count: records.length, [name]: records })

function known<T extends { key: string }>(records: readonly T[], key: string, what: string): T {
  const record = records.find(one => one.key === key)
  if (!record) throw new Problem('not_found', `There is no ${what} called '${key}' in the catalogue.`)
  return record
}

/** Whether each requested flag has the requested value. */
const hasFlags = ({ flags }: TemplateRecord, wanted: { [flag in keyof typeof flags]?: boolean }): boolean =>
  (Object.keys(wanted) as (keyof typeof flags)[]).every(
    flag => wanted[flag] === undefined || flags[flag] === wanted[flag],
  )
