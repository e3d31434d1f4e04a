import { FAULTS, isJsonObject, type JsonObject } from '@spanhouse/model'
import * as z from './zod.ts'

/*
 * zod's own arrays, records and maps check every element regardless of errors so far, and report an issue for each
 * invalid one: a small body with a million elements would cost gigabytes and get a response of that size. The functions
 * here stop early.
 */

/** Elements of a list, or members of an object: checking takes a microsecond each, without a break. */
const ELEMENTS_MAX = 100_000

/** Violations listed in a 422. Checking stops at the first one beyond this number. */
export const ISSUES_MAX = 20

export interface ListLimits {
  /** Shorter lists are rejected before their elements are checked. */
  min?: number
  /** Longer lists are rejected before their elements are checked; 100,000 by default. */
  max?: number
}

/** A list whose elements match the schema. */
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
 * An object with members of any name, whose values match the schema. A member called `__proto__`, which zod's own
 * record silently drops, is kept like any other.
 */
export const recordOf = <S extends z.ZodType>(schema: S, limits: RecordLimits = {}) =>
  entriesOf(schema, limits).transform(entries => Object.fromEntries(entries) as Record<string, z.output<S>>)

export interface RecordLimits {
  /** The schema of the names. */
  name?: z.ZodType<string>
  /** Larger objects are rejected before their members are checked; 100,000 by default. */
  max?: number
}

/** An object as a map in the same order, of at most `max` entries. */
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

/**
 * Throws an Error if values that the schema checks could have any number of issues: such a schema must use {@link list}
 * and the other functions here.
 */
export function refuseUnbounded(schema: z.core.$ZodType): void {
  const seen = new Set<unknown>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (value instanceof z.core.$ZodType) {
      const { def } = value._zod
      if (UNBOUNDED.includes(def.type)) throw new Error(`A request schema must not use zod's own ${def.type}`)
      look(def)
    } else for (const member of Object.values(value)) look(member)
  }
  look(schema)
}
