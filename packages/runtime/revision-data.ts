import { isDeepStrictEqual } from 'node:util'
import { defined, isJsonObject, type Json, type JsonObject, present, type Violation } from '@spanhouse/model'
import type { Handler, Schemas } from './handler.ts'
import { handlerOf } from './handlers.ts'
import { handlerUriOf, hostedUrl, webAddressOf } from './revision-url.ts'
import { schemaMistake } from './schema/validate-against.ts'
import { isCallableUrl, isManaged, type RuntimeSettings } from './uri.ts'

const SCHEMA_NAMES = ['parameters', 'inputs', 'outputs'] as const

/**
 * Violations in the data of a workflow's revision besides its shape; locations are relative to the data. Checks for web
 * addresses that cannot be called, unknown keys under our prefixes, and malformed JSON Schemas. The owner is the one
 * whose share of the schema threads is used (`validateAgainst`); schemas of the catalogue use none.
 */
export async function checkRevisionData(
  data: JsonObject,
  settings: RuntimeSettings,
  owner: string,
): Promise<Violation[]> {
  return [...uriMistakes(data, settings), ...urlMistakes(data), ...(await schemaMistakes(data, settings, owner))]
}

function uriMistakes(data: JsonObject, settings: RuntimeSettings): Violation[] {
  const address = webAddressOf(data)
  if (address !== undefined)
    return isCallableUrl(address) ? [] : [mistake(['uri'], 'is not an address with a host', address)]
  const uri = handlerUriOf(data)
  if (!uri || !isManaged(uri, settings) || handlerOf(uri, settings)) return []
  return [mistake(['uri'], `names an unknown handler: no ${uri.kind} has the key '${uri.key}'`, data.uri)]
}

function urlMistakes({ url }: JsonObject): Violation[] {
  if (url === undefined || url === null || (typeof url === 'string' && isCallableUrl(url))) return []
  return [mistake(['url'], 'should be an http or https address with a host', url)]
}

async function schemaMistakes(data: JsonObject, settings: RuntimeSettings, owner: string): Promise<Violation[]> {
  const { schemas } = data
  if (!isJsonObject(schemas)) return []
  const uri = handlerUriOf(data)
  const known = catalogueSchemas(uri && handlerOf(uri, settings))
  const mistakes = await Promise.all(
    SCHEMA_NAMES.map(async name => {
      const schema = schemas[name] ?? null
      const isKnown = schema === null || known.some(one => isDeepStrictEqual(one[name], schema))
      const wrong = isKnown ? null : await schemaMistake(schema, owner)
      const violation = { type: 'value_error', loc: ['schemas', name], msg: `Value error, ${wrong}`, input: schema }
      return wrong === null ? [] : [violation]
    }),
  )
  return mistakes.flat()
}

/**
 * What the catalogue offers for a handler, itself and in presets. It is well-formed, so no thread starts to check it.
 */
const catalogueSchemas = (handler: Handler | null | undefined): Schemas[] =>
  [handler?.schemas, ...(handler?.template?.presets ?? []).map(preset => preset.schemas)].filter(
    schemas => schemas !== undefined,
  )

const mistake = (loc: string[], msg: string, input: Json | undefined): Violation => ({
  type: 'value_error',
  loc,
  msg: `Value error, ${loc.at(-1)} ${msg}`,
  ...(input === undefined ? {} : { input }),
})

/**
 * The data as a commit stores it: missing schemas are those of the built-in handler, the outputs schema is inferred
 * from the parameters where possible, and a custom handler gets its address. Of a skill only the content is stored.
 */
export async function enrichRevisionData(
  data: JsonObject,
  settings: RuntimeSettings,
  owner: string,
): Promise<JsonObject> {
  const address = webAddressOf(data)
  if (address !== undefined) return { ...data, url: data.url ?? address }
  const uri = handlerUriOf(data)
  const handler = uri && handlerOf(uri, settings)
  if (!uri || !handler) return data
  if (handler.isRunnable === false) return contentOf(data)
  const url = data.url ?? (handler.kind === 'custom' ? hostedUrl(uri, settings) : undefined)
  return {
    ...data,
    ...(url ? { url } : {}),
    ...asMember({ ...handler.schemas, ...given(data), ...(await inferred(handler, data, owner)) }),
  }
}

/**
 * The data that the simple evaluator surface commits: a built-in handler gets the schemas that the server has for it, and
 * no address of its own. Other data is returned unchanged, as is data with a malformed schema, which the commit rejects.
 */
export async function evaluatorHydration(
  data: JsonObject,
  settings: RuntimeSettings,
  owner: string,
): Promise<JsonObject> {
  const uri = handlerUriOf(data)
  const handler = uri && handlerOf(uri, settings)
  if (handler?.kind !== 'builtin' || (await schemaMistakes(data, settings, owner)).length > 0) return data
  const { url, schemas, ...rest } = data
  const { inputs } = given(data)
  const { parameters } = handler.schemas ?? {}
  const outputs = await surfaceOutputs(handler, data, owner)
  return { ...rest, ...asMember({ parameters, inputs, outputs }) }
}

async function surfaceOutputs(handler: Handler, data: JsonObject, owner: string): Promise<Json | undefined> {
  const parameters = isJsonObject(data.parameters) ? data.parameters : {}
  if (handler.surfaceOutputs) return (await usable(handler.surfaceOutputs(parameters), owner)) ?? given(data).outputs
  return (await inferred(handler, data, owner)).outputs ?? handler.schemas?.outputs
}

async function inferred({ inferOutputs }: Handler, { parameters }: JsonObject, owner: string): Promise<Schemas> {
  const outputs = isJsonObject(parameters) ? await usable(inferOutputs?.(parameters), owner) : undefined
  return outputs === undefined ? {} : { outputs }
}

/** A schema inside parameters may contain placeholders and not be a valid schema yet; then nothing is inferred. */
const usable = async (schema: Json | null | undefined, owner: string): Promise<Json | undefined> =>
  isJsonObject(schema) && (await schemaMistake(schema, owner)) === null ? schema : undefined

function given({ schemas }: JsonObject): Schemas {
  if (!isJsonObject(schemas)) return {}
  return present(schemas)
}

function asMember(schemas: Schemas): JsonObject {
  const given = defined(schemas)
  return Object.keys(given).length === 0 ? {} : { schemas: given }
}

function contentOf({ uri, parameters, schemas }: JsonObject): JsonObject {
  const described = isJsonObject(schemas) ? schemas.parameters : undefined
  return defined({ uri, parameters, ...asMember({ parameters: described ?? undefined }) })
}
