import { FAULTS, isJsonObject, type JsonObject } from '@spanhouse/model'
import { z } from 'zod'

/*
 * zod's own arrays, records and maps look at every element whatever they have found so far, and each that is wrong is an
 * issue: a small body with a million elements costs gigabytes and an answer of as much. These stop.
 */

/** Elements of a list, or members of an object, that are read one by one: a microsecond each, in one go. */
const ELEMENTS_MAX = 100_000

/** Violations that a 422 lists. Reading stops at the first beyond them. */
export const ISSUES_MAX = 20

export interface ListLimits {
  /** Shorter lists, and longer ones, are refused before anything in them is looked at. */
  min?: number
  /** 100,000 when it is not given. */
  max?: number
}

/** A list whose elements are as the schema has them. */
export function list<S extends z.ZodType>(schema: S, { min = 0, max = ELEMENTS_MAX }: ListLimits = {}) {
  refuseUnbounded(schema)
  return z
    .custom<z.input<S>[]>(Array.isArray, { params: { type: FAULTS.list[0] }, error: FAULTS.list[1] })
    .meta({ type: 'array', items: described(schema), minItems: min, maxItems: max })
    .transform((elements, context) => {
      const size = { origin: 'array', inclusive: true, input: elements } as const
      if (elements.length < min) context.issues.push({ ...size, code: 'too_small', minimum: min })
      else if (elements.length > max) context.issues.push({ ...size, code: 'too_big', maximum: max })
      else return readAll(elements.entries(), schema, context).map(([, element]) => element)
      return []
    })
}

/**
 * An object with members of any name, each as the schema has it. A member that is called `__proto__`, which zod's own
 * record loses without a word, is one like any other.
 */
export const recordOf = <S extends z.ZodType>(schema: S, limits: RecordLimits = {}) =>
  entriesOf(schema, limits).transform(entries => Object.fromEntries(entries) as Record<string, z.output<S>>)

export interface RecordLimits {
  /** What a name must look like. */
  name?: z.ZodType<string>
  /** Larger objects are refused before anything in them is looked at; 100,000 when it is not given. */
  max?: number
}

/** An object as a map, in the same order, of `max` entries at most. */
export const mapOf = <S extends z.ZodType>(schema: S, max: number) =>
  entriesOf(schema, { max }).transform(entries => new Map(entries))

function entriesOf<S extends z.ZodType>(schema: S, { name, max = ELEMENTS_MAX }: RecordLimits) {
  refuseUnbounded(schema)
  return z
    .custom<JsonObject>(isJsonObject, { params: { type: FAULTS.map[0] }, error: FAULTS.map[1] })
    .meta({ type: 'object', additionalProperties: described(schema) })
    .transform((value, context) => {
      const entries = Object.entries(value)
      if (entries.length <= max) return readAll(entries, schema, context, name)
      const message = `Dictionary should have at most ${max} items`
      context.addIssue({ code: 'custom', params: { type: 'too_long' }, message })
      return []
    })
}

function readAll<S extends z.ZodType, K extends PropertyKey>(
  entries: Iterable<[K, unknown]>,
  schema: S,
  { issues }: z.core.ParsePayload,
  name?: z.ZodType<string>,
): [K, z.output<S>][] {
  const read: [K, z.output<S>][] = []
  for (const [step, element] of entries) {
    const { data, error } = schema.safeParse(element)
    for (const issue of name?.safeParse(step).error?.issues ?? [])
      issues.push({ ...issue, path: [step], input: step } as z.core.$ZodRawIssue)
    for (const issue of error?.issues ?? [])
      issues.push({ ...issue, path: [step, ...issue.path], input: element } as z.core.$ZodRawIssue)
    if (issues.length > ISSUES_MAX) break
    read.push([step, data as z.output<S>])
  }
  return read
}

function described(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

const UNBOUNDED = ['array', 'record', 'map', 'set']

/** Throws when a request that the schema checks could have any number of issues: it is to have {@link list} and the like. */
export function refuseUnbounded(schema: z.core.$ZodType): void {
  const seen = new Set<unknown>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (value instanceof z.core.$ZodType) {
      const { def } = value._zod
      if (UNBOUNDED.includes(def.type)) throw new Error(`A schema of requests must not have zod's own ${def.type}`)
      look(def)
    } else for (const member of Object.values(value)) look(member)
  }
  look(schema)
}
