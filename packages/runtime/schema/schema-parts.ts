import type { JsonObject } from '@spanhouse/model'

/** The dialect of every schema in the catalogue, and of those that name none. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

type Properties = Record<string, JsonObject>

/** An object with these members and no others. */
export const closed = (properties: Properties, required: readonly string[] = []): JsonObject =>
  objectSchema(properties, required, false)

/** An object with at least the required ones of these members. */
export const open = (properties: Properties = {}, required: readonly string[] = []): JsonObject =>
  objectSchema(properties, required, true)

function objectSchema(properties: Properties, required: readonly string[], isOpen: boolean): JsonObject {
  return {
    $schema: DIALECT,
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
    additionalProperties: isOpen,
  }
}

/** A setting as forms show it: its name, what it is for, and the widget that edits it. */
interface Field {
  title: string
  description: string
  widget: string
  default?: string | number | boolean
  /** Hidden until asked for. */
  isAdvanced?: boolean
}

/** A property of a parameters' schema; `rules` are further keywords. */
export function field(type: string | string[], shown: Field, rules: JsonObject = {}): JsonObject {
  return {
    type,
    title: shown.title,
    description: shown.description,
    ...(shown.default === undefined ? {} : { default: shown.default }),
    ...rules,
    'x-ag-type': shown.widget,
    ...(shown.isAdvanced ? { 'x-ag-ui-advanced': true } : {}),
  }
}

/** Whose schema is the catalogue type of that name. */
export const typed = (type: string, description: string): JsonObject => ({ 'x-ag-type-ref': type, description })

/** What a check that can only hold or not returns. */
export const SUCCESS = closed({ success: { type: 'boolean' } }, ['success'])

/** What a graded check returns: how good, and whether that is good enough. */
export const SCORE_AND_SUCCESS = closed({ score: { type: 'number' }, success: { type: 'boolean' } })

export const MESSAGES: JsonObject = {
  type: 'array',
  items: { type: 'object', required: ['role'] },
  description: 'Messages, oldest first.',
}

/** Settings that several evaluators have. */
export const CORRECT_ANSWER_KEY = field('string', {
  title: 'Expected answer column',
  description: 'The testcase column that holds the expected answer.',
  widget: 'text',
  default: 'correct_answer',
  isAdvanced: true,
})

export const OPTIONAL_CORRECT_ANSWER_KEY = field('string', {
  title: 'Expected answer column',
  description: 'The testcase column that holds the expected answer, if any.',
  widget: 'text',
  isAdvanced: true,
})

export const THRESHOLD = field(
  'number',
  {
    title: 'Threshold',
    description: 'The minimum score for success; 0.5 if not set.',
    widget: 'float',
    isAdvanced: true,
  },
  { minimum: 0, maximum: 1 },
)

export const CASE_SENSITIVE = field('boolean', {
  title: 'Case sensitive',
  description: 'Whether the comparison is case-sensitive.',
  widget: 'bool',
  default: true,
})

export const OPTIONAL_CASE_SENSITIVE = field('boolean', {
  title: 'Case sensitive',
  description: 'Whether the comparison is case-sensitive; true if not set.',
  widget: 'bool',
  isAdvanced: true,
})
