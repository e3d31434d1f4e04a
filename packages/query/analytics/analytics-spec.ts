import {
  above,
  defined,
  FAULTS,
  isJsonObject,
  type JsonObject,
  notAbove,
  numberOf,
  tooManyItems,
} from '@spanhouse/model'
import { PATH_SEGMENTS_MAX, TEXT_BYTES_MAX } from '../filter/filter.ts'
import {
  type Location,
  malformed,
  oneOf,
  optional,
  readBoolean,
  readList,
  readText,
  refuseOthers,
} from '../filter/shape.ts'

/** The aggregations of the values at a path. Each one uses the values of one JSON type and ignores others. */
const MEASURES = [
  'numeric/continuous',
  'numeric/discrete',
  'binary',
  'categorical/single',
  'categorical/multiple',
  'string',
  'json',
] as const
export type Measure = (typeof MEASURES)[number]

/** `*`: the measure that fits most of the stored values; `none`: no measure. */
export const SPEC_TYPES = [...MEASURES, '*', 'none'] as const

export interface Histogram {
  /** Number of bins; by default the square root of the number of values. */
  readonly bins?: number
  /** By default the smallest and largest value. */
  readonly vmin?: number
  readonly vmax?: number
  /** False: the bounds are the centres of the outer bins instead of their edges. */
  readonly edge: boolean
}

/** One measurement of the values at one path. */
export interface Spec extends Histogram {
  readonly type: (typeof SPEC_TYPES)[number]
  /** Undefined: all attributes as one object. */
  readonly path: readonly string[] | undefined
  /** The name of the result in the response. */
  readonly key: string
  /** The request's own members, for the response. */
  readonly echo: JsonObject
}

const SPECS_MAX = 50
const BINS_MAX = 1_000

const PREFIX = 'attributes.'
const MEMBERS = ['type', 'path', 'bins', 'vmin', 'vmax', 'edge']

/** The default measurements. */
const DEFAULTS: readonly [Measure, string][] = [
  ['numeric/continuous', 'attributes.ag.metrics.duration.cumulative'],
  ['numeric/continuous', 'attributes.ag.metrics.errors.cumulative'],
  ['numeric/continuous', 'attributes.ag.metrics.costs.cumulative.total'],
  ['numeric/continuous', 'attributes.ag.metrics.tokens.cumulative.total'],
  ['categorical/single', 'attributes.ag.type.trace'],
  ['categorical/single', 'attributes.ag.type.span'],
]

export const DEFAULT_SPECS: readonly Spec[] = DEFAULTS.map(([type, path]) => parseSpec({ type, path }, []))

/** Parses a list of specs. Throws `unprocessable` (422) at the invalid member. */
export function parseSpecs(json: unknown, loc: Location): Spec[] {
  const list = readList(json, loc)
  if (list.length > SPECS_MAX) throw malformed(tooManyItems(SPECS_MAX, list.length), loc, undefined)
  return list.map((one, index) => parseSpec(one, [...loc, index]))
}

function parseSpec(json: unknown, loc: Location): Spec {
  if (!isJsonObject(json)) throw malformed(FAULTS.object, loc, json)
  refuseOthers(json, MEMBERS, loc)
  const member = <T>(name: string, read: (value: unknown, loc: Location) => T): T | undefined =>
    optional(json[name], [...loc, name], read)
  const type = member('type', oneOf(SPEC_TYPES)) ?? 'none'
  const path = member('path', readPath) ?? '*'
  const [bins, vmin, vmax] = [member('bins', readBins), member('vmin', readNumber), member('vmax', readNumber)]
  const edge = member('edge', readBoolean)
  if (vmin !== undefined && vmax !== undefined && vmin > vmax)
    throw malformed(['value_error', 'Input should not be below `vmin`'], [...loc, 'vmax'], vmax)
  const given = { bins, vmin, vmax, edge }
  const present = defined(given)
  const bare = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path
  return {
    edge: true,
    ...present,
    type,
    path: bare === '*' ? undefined : bare.split('.'),
    key: PREFIX + bare,
    echo: { type, path, ...present },
  }
}

function readPath(value: unknown, loc: Location): string {
  const path = readText(value, loc)
  const segments = path.split('.').length
  if (path === '' || path === PREFIX) throw malformed(['string_too_short', 'Input should name a path'], loc, value)
  if (segments > PATH_SEGMENTS_MAX + 1 || Buffer.byteLength(path) > TEXT_BYTES_MAX)
    throw malformed(['string_too_long', `Input should have at most ${PATH_SEGMENTS_MAX} segments`], loc, value)
  return path.toWellFormed()
}

function readBins(value: unknown, loc: Location): number {
  const bins = numberOf(value)
  if (bins === undefined || !Number.isInteger(bins)) throw malformed(FAULTS.integer, loc, value)
  if (bins < 1) throw malformed(notAbove(0), loc, value)
  if (bins > BINS_MAX) throw malformed(above(BINS_MAX), loc, value)
  return bins
}

function readNumber(value: unknown, loc: Location): number {
  const number = numberOf(value)
  if (number === undefined) throw malformed(FAULTS.number, loc, value)
  return number
}
