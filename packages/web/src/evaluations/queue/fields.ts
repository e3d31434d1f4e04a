import { parseExact, parseNumber } from '../../api/exact-json.ts'
import { isObject, type Json, type JsonObject } from '../../api/registry/registry.ts'

/** A member of an evaluator's output, as people fill it in. */
export interface Field {
  /** Its name in the output. */
  name: string
  title: string
  about: string | undefined
  isRequired: boolean
  form: Form
}

export type Form =
  | { kind: 'choice' | 'several'; options: readonly Option[] }
  | { kind: 'number'; isInteger: boolean; min: number | undefined; max: number | undefined }
  | { kind: 'text' }
  /** Any other value, as JSON. */
  | { kind: 'json' }

export interface Option {
  label: string
  value: Json
}

/** Whole numbers of a range up to this size are chosen, larger ones typed. */
const CHOICES_MAX = 10

/** The fields of an output schema; none if it describes no object. */
export function fieldsOf(schema: JsonObject | undefined): Field[] {
  const properties = schema?.properties
  if (!isObject(properties)) return []
  const required = new Set(Array.isArray(schema?.required) ? schema.required : [])
  return Object.entries(properties).flatMap(([name, given]): Field[] => {
    const member = withoutNull(given)
    if (!member) return []
    const { title, description } = member
    return [
      {
        name,
        title: typeof title === 'string' ? title : name,
        about: typeof description === 'string' ? description : undefined,
        isRequired: required.has(name),
        form: formOf(member),
      },
    ]
  })
}

/** What a schema says of values that are not null. */
function withoutNull(schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema)) return undefined
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter(type => type !== 'null')
    return types.length === 1 ? { ...schema, type: types[0] as Json } : schema
  }
  const union = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(union)) return schema
  const members = union.filter(one => !isObject(one) || one.type !== 'null')
  return members.length === 1 ? withoutNull(members[0]) : schema
}

function formOf({ type, enum: words, items, minimum, maximum }: JsonObject): Form {
  if (Array.isArray(words)) return { kind: 'choice', options: words.map(optionOf) }
  if (type === 'boolean')
    return {
      kind: 'choice',
      options: [
        { label: 'yes', value: true },
        { label: 'no', value: false },
      ],
    }
  if (type === 'array' && isObject(items) && Array.isArray(items.enum))
    return { kind: 'several', options: items.enum.map(optionOf) }
  if (type === 'integer' || type === 'number') return numberForm(type === 'integer', minimum, maximum)
  return { kind: type === 'string' ? 'text' : 'json' }
}

function numberForm(isInteger: boolean, minimum: Json | undefined, maximum: Json | undefined): Form {
  const [min, max] = [minimum, maximum].map(bound => (typeof bound === 'number' ? bound : undefined))
  if (isInteger && min !== undefined && max !== undefined && max >= min && max - min < CHOICES_MAX)
    return { kind: 'choice', options: Array.from({ length: max - min + 1 }, (_, n) => optionOf(min + n)) }
  return { kind: 'number', isInteger, min, max }
}

const optionOf = (value: Json): Option => ({ label: typeof value === 'string' ? value : JSON.stringify(value), value })

/** What was entered, by field: texts of fields that are typed, otherwise values. Absent: nothing. */
export type Values = Readonly<Record<string, Json>>

/** The output that was entered. Throws an Error that names the field which is missing or malformed. */
export function outputOf(fields: readonly Field[], values: Values): JsonObject {
  const output: JsonObject = {}
  for (const field of fields) {
    const given = values[field.name]
    const isEmpty = given === undefined || isBlank(given) || (Array.isArray(given) && given.length === 0)
    if (isEmpty && field.isRequired) throw new Error(`${field.title} is missing.`)
    if (!isEmpty) output[field.name] = entered(field, given)
  }
  if (Object.keys(output).length === 0) throw new Error('Nothing is filled in.')
  return output
}

/** Spaces alone would be read as the number 0. */
const isBlank = (given: Json): boolean => typeof given === 'string' && given.trim() === ''

function entered({ title, form }: Field, given: Json): Json {
  if (form.kind === 'json') {
    try {
      return parseExact<Json>(String(given))
    } catch {
      throw new Error(`${title} is not JSON.`)
    }
  }
  if (form.kind !== 'number') return given
  const value = Number(given)
  const { isInteger, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = form
  if (!Number.isFinite(value)) throw new Error(`${title} is not a number.`)
  if (isInteger && !Number.isInteger(value)) throw new Error(`${title} is not a whole number.`)
  if (value < min) throw new Error(`${title} is less than ${min}.`)
  if (value > max) throw new Error(`${title} is more than ${max}.`)
  return parseNumber(String(given))
}

/** What to show in the form for an output that was saved. */
export const valuesIn = (fields: readonly Field[], output: JsonObject): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, form }) => {
      const value = output[name]
      if (value === undefined) return []
      return [[name, form.kind === 'json' || form.kind === 'number' ? JSON.stringify(value) : value]]
    }),
  )
