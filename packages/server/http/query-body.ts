import { FIELD_KINDS, FIELDS, FOCUSES, FORMATS, GROUP_OPERATORS, OPERATORS, ORDERS } from '@spanhouse/query'
import { json, optional, z } from '@spanhouse/validation'

const time = {
  anyOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }],
  description: 'ISO 8601 or a Unix time.',
}

/** The members of a window, for documents. */
export const windowingProperties = {
  oldest: time,
  newest: time,
  next: { type: 'string', description: 'The id of the last entry of the previous page.' },
  limit: { type: 'integer', description: 'Entries per page; values below 1 count as 1.' },
  order: { type: 'string', enum: [...ORDERS] },
  interval: { type: 'integer', minimum: 1, description: 'Minutes in a bucket; analytics only.' },
  rate: { type: 'number', minimum: 0, maximum: 1, description: 'Share of the traces that are considered.' },
}

/** Each field with its operators, as the parser accepts them. */
const FIELD_LIST = [...FIELDS.values()]
  .map(({ name, kind }) => `- \`${name}\`: ${[...FIELD_KINDS[kind]].join(', ')}`)
  .join('\n')

const condition = {
  type: 'object',
  required: ['field'],
  properties: {
    field: { type: 'string', enum: [...FIELDS.keys()] },
    key: { type: 'string', description: 'A path in `attributes`, such as `ag.metrics.duration.cumulative`.' },
    operator: { type: 'string', enum: [...OPERATORS], default: 'is' },
    value: { description: 'What to compare with: a list for `in` and `not_in`, two values for `btwn`.' },
    options: {
      type: 'object',
      description: 'For operators on text: `case_sensitive`, `exact_match`; for those on lists: `all`.',
      properties: {
        case_sensitive: { type: 'boolean' },
        exact_match: { type: 'boolean' },
        all: { type: 'boolean' },
      },
    },
  },
}

const EXAMPLE = {
  operator: 'and',
  conditions: [
    { field: 'span_type', operator: 'in', value: ['chat', 'completion'] },
    { field: 'status_code', value: 'STATUS_CODE_ERROR' },
    { field: 'attributes', key: 'ag.metrics.duration.cumulative', operator: 'gt', value: 5000 },
    { field: 'span_name', operator: 'contains', value: 'answer', options: { case_sensitive: true } },
    { field: 'references', operator: 'in', value: [{ slug: 'geo-bot' }] },
    { field: 'created_by_id', operator: 'exists' },
  ],
}

/** A filter, for documents: what it means is defined in `query`. */
export const filterSchema = {
  type: 'object',
  description:
    'A group of conditions and groups. Each condition is tested on one span; a trace matches if one of its spans ' +
    `matches the whole filter. The operators of each field:\n\n${FIELD_LIST}`,
  properties: {
    operator: { type: 'string', enum: [...GROUP_OPERATORS], default: 'and' },
    conditions: { type: 'array', items: { anyOf: [condition, { type: 'object', description: 'A group.' }] } },
  },
  examples: [EXAMPLE],
}

const referenceSchema = {
  type: 'object',
  description: 'A saved query, which supplies the filter.',
  properties: { id: { type: 'string', format: 'uuid' }, slug: { type: 'string' }, version: { type: 'string' } },
}

/** Validated by the parser of `query`; here it is only described. */
export const spanQueryBody = optional(
  json.meta({
    type: 'object',
    description: 'Other members are rejected.',
    properties: {
      filtering: filterSchema,
      windowing: { type: 'object', properties: windowingProperties },
      query_ref: referenceSchema,
      query_variant_ref: referenceSchema,
      query_revision_ref: referenceSchema,
      filter: { description: 'The same as `filtering`, as an object or JSON text.', type: ['object', 'string'] },
      ...windowingProperties,
    },
    examples: [{ filtering: EXAMPLE, windowing: { oldest: '2026-02-01T00:00:00Z', limit: 50 } }],
  }),
)

const parameter = (description: string) => optional(json).meta({ description })

/** Web clients add these to query strings; they select nothing. */
export const scopeParameters = {
  project_id: parameter('Ignored: the key determines the project.'),
  application_id: parameter('Ignored.'),
}

/**
 * The query string of the endpoints that accept the same members in a flat body. Unknown names are rejected, the values
 * are validated by the parser of `query`.
 */
export const flatParameters = {
  focus: optional(z.enum(FOCUSES)),
  format: optional(z.enum(FORMATS)),
  oldest: parameter(time.description),
  newest: parameter(time.description),
  next: parameter(windowingProperties.next.description),
  limit: parameter(windowingProperties.limit.description),
  order: parameter('Ascending or descending.'),
  interval: parameter('Length of a bucket in minutes.'),
  rate: parameter('Share of the traces, 0 to 1.'),
  filter: parameter('A filter as JSON text.'),
  filtering: parameter('The same as `filter`.'),
  windowing: parameter('The members of a window as JSON text.'),
  formatting: parameter('`focus` and `format` as JSON text.'),
  ...scopeParameters,
}
