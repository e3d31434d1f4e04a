import type { Condition, Group } from '../api/filtering.ts'

/** Why a text is not a filter, for the person who typed it. */
export class FilterError extends Error {}

/** What a name in the filter line stands for. */
export interface Field {
  /** What the value may be compared by. */
  kind: 'choice' | 'id' | 'text' | 'number' | 'duration' | 'meaning'
  field: string
  key?: string
  /** For the list of completions. */
  about: string
  /** The values of a choice. */
  values?: readonly string[]
  /** Of a meaning: the attributes that have it, of which the first one that a span has counts. */
  paths?: readonly string[]
}

const amount = (key: string, kind: Field['kind'], about: string): Field => ({ kind, field: 'attributes', key, about })

const meaning = (paths: readonly string[], about: string): Field => ({
  kind: 'meaning',
  field: 'attributes',
  about,
  paths,
})

const TYPES = [
  'agent',
  'chain',
  'workflow',
  'task',
  'tool',
  'embedding',
  'query',
  'llm',
  'completion',
  'chat',
  'rerank',
  'unknown',
]

/** The fields of the filter line, by name. */
export const FIELDS: Readonly<Record<string, Field>> = {
  type: { kind: 'choice', field: 'span_type', about: 'type of the span', values: TYPES },
  kind: {
    kind: 'choice',
    field: 'trace_type',
    about: 'kind of trace',
    values: ['invocation', 'annotation', 'unknown'],
  },
  status: { kind: 'choice', field: 'status_code', about: 'status of the span', values: ['ok', 'error', 'unset'] },
  name: { kind: 'text', field: 'span_name', about: 'name; = is exact, : finds a part' },
  user: { kind: 'id', field: 'user_id', about: 'user' },
  session: { kind: 'id', field: 'session_id', about: 'session' },
  agent: { kind: 'id', field: 'agent_id', about: 'agent' },
  trace: { kind: 'id', field: 'trace_id', about: 'trace id' },
  model: meaning(['ag.meta.response.model', 'ag.meta.request.model'], 'model that was called'),
  application: meaning(['ag.references.application.slug', 'resource.service.name'], 'application or service'),
  environment: meaning(
    ['ag.references.environment.slug', 'resource.deployment.environment.name', 'resource.deployment.environment'],
    'environment',
  ),
  duration: amount('ag.metrics.duration.cumulative', 'duration', 'total duration, such as >2s'),
  tokens: amount('ag.metrics.tokens.cumulative.total', 'number', 'total tokens, such as >1000'),
  cost: amount('ag.metrics.costs.cumulative.total', 'number', 'total cost in USD, such as >0.01'),
  no: {
    kind: 'choice',
    field: '',
    about: 'without a value in a field, such as no:user',
    values: ['user', 'session', 'agent', 'model', 'application', 'environment'],
  },
  errors: amount('ag.metrics.errors.cumulative', 'number', 'errors in it and below, such as >0'),
}

/** The name in the filter line of a field of the interface. */
export const nameOfField = (field: string): string | undefined =>
  Object.keys(FIELDS).find(name => FIELDS[name]?.field === field && FIELDS[name]?.key === undefined)

export const RELATIONS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }

/** A condition as it was typed. */
export interface Typed {
  field?: string
  operator?: string
  value: string
}

/** The condition for what was typed. Throws a {@link FilterError}. */
export function testOf({ field: name = '', operator = ':', value }: Typed): Condition | Group {
  const field = FIELDS[name]
  if (value === '') throw new FilterError(`${name}${operator} needs a value.`)
  const relation = RELATIONS[operator]
  if (operator === '!=') return { operator: 'not', conditions: [testOf({ field: name, operator: '=', value })] }
  if (!field) return { field: 'attributes', key: name, operator: relation ?? 'is', value: scalarOf(value) }
  const { kind, key } = field
  const place = { field: field.field, ...(key !== undefined && { key }) }
  if (kind === 'number' || kind === 'duration')
    return {
      ...place,
      operator: relation ?? 'eq',
      value: kind === 'number' ? numberOf(name, value) : msOf(name, value),
    }
  if (relation) throw new FilterError(`${name} takes : or =, not ${operator}.`)
  if (kind === 'meaning') return meaningTest(field.paths ?? [], value)
  if (kind === 'text') return { ...place, operator: operator === '=' ? 'is' : 'contains', value }
  if (kind === 'id') return { ...place, operator: 'is', value }
  const chosen = choiceOf(name, field, value)
  return name === 'no' ? absenceOf(FIELDS[chosen] as Field) : { ...place, operator: 'is', value: chosen }
}

const absenceOf = ({ field, paths }: Field): Group => ({
  operator: 'and',
  conditions: paths ? paths.map(key => ({ field, key, operator: 'not_exists' })) : [{ field, operator: 'not_exists' }],
})

/** The first attribute that a span has is the value. */
const meaningTest = (paths: readonly string[], value: string): Group => ({
  operator: 'or',
  conditions: paths.map((key, at) => ({
    operator: 'and',
    conditions: [
      ...paths.slice(0, at).map(earlier => ({ field: 'attributes', key: earlier, operator: 'not_exists' })),
      { field: 'attributes', key, operator: 'is', value },
    ],
  })),
})

function choiceOf(name: string, { field, values = [] }: Field, value: string): string {
  const found = values.find(one => one === value.toLowerCase())
  if (found === undefined) throw new FilterError(`${name} is one of ${values.join(', ')}.`)
  return field === 'status_code' ? `STATUS_CODE_${found.toUpperCase()}` : found
}

const scalarOf = (value: string): string | number | boolean => {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value
}

function numberOf(name: string, value: string): number {
  const number = Number(value.replace(/^\$/, ''))
  if (value === '' || !Number.isFinite(number)) throw new FilterError(`${name} needs a number, not “${value}”.`)
  return number
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function msOf(name: string, value: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? []
  if (number === undefined) throw new FilterError(`${name} needs a time such as 250ms or 2s, not “${value}”.`)
  return Number(number) * (UNITS[unit] ?? 1)
}
