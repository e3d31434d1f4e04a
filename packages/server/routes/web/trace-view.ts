import { invalid, microsToIso, Problem, parseSpanId } from '@spanhouse/model'
import {
  compileParts,
  compileSkeleton,
  PARTS,
  type PartRow,
  printSql,
  RANGE_CHARACTERS_MAX,
  SKELETON_SPANS_MAX,
  type SkeletonRow,
} from '@spanhouse/query'
import { type Engine, readOneTrace } from '@spanhouse/span-store'
import { integerText, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { requiredTraceId } from '../tracing/trace-writes.ts'
import { parts, type Skeleton, skeleton } from './answers.ts'

const permission = 'view_spans'

const whole = (max: number, description: string) => optional(integerText({ min: 0, max })).meta({ description })

/** Characters of each part if the request names none. */
const RANGE_DEFAULT = 100_000

/** What a trace of any size is drawn from: its skeleton in windows, and the long texts of one span in ranges. */
export function traceViewRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/traces/:trace_id/skeleton',
      tag: 'traces',
      permission,
      params: z.object({ trace_id: z.string() }),
      query: z.object({
        offset: whole(Number.MAX_SAFE_INTEGER, 'How many spans to skip.'),
        limit: whole(SKELETON_SPANS_MAX, 'Spans in the window.'),
      }),
      answer: skeleton,
      summary: 'Returns names, times and totals of the spans of a trace, by column, in the order of their start.',
      handle: async ({ principal: { project_id }, params, query, holder }) => {
        const trace_id = requiredTraceId(params.trace_id)
        const window = { offset: query.offset ?? 0, limit: query.limit ?? SKELETON_SPANS_MAX }
        const read = (asked: typeof window): Promise<SkeletonRow[]> => {
          const statement = compileSkeleton({ project_id, trace_id }, asked)
          return readOneTrace(engine, trace_id, from => from.rows<SkeletonRow>(printSql(statement), holder))
        }
        const rows = await read(window)
        // The number of spans is in their rows: of an empty window, it is in the first row of the trace.
        const [counted] = rows.length > 0 ? rows : await read({ offset: 0, limit: 1 })
        return toSkeleton(rows, { offset: window.offset, total: counted?.total ?? 0 })
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/spans/:trace_id/:span_id/parts',
      tag: 'spans',
      permission,
      params: z.object({ trace_id: z.string(), span_id: z.string() }),
      query: z.object({
        part: optional(z.enum(PARTS)).meta({ description: 'Only this one.' }),
        offset: whole(Number.MAX_SAFE_INTEGER, 'Characters to skip.'),
        length: whole(RANGE_CHARACTERS_MAX, `Characters of each part; ${RANGE_DEFAULT} by default.`),
      }),
      answer: parts,
      summary: 'Returns a range of the inputs, outputs, attributes and other parts of a span, each as JSON text.',
      handle: async ({ principal: { project_id }, params, query, holder }) => {
        const trace_id = requiredTraceId(params.trace_id)
        const span_id = parseSpanId(params.span_id)
        if (!span_id) throw invalid(`span_id is malformed: ${params.span_id.slice(0, 100)}`)
        const { offset = 0, length = RANGE_DEFAULT } = query
        const range = { parts: query.part ? [query.part] : PARTS, offset, length }
        const statement = compileParts({ project_id, trace_id, span_id }, range)
        const rows = await readOneTrace(engine, trace_id, from => from.rows<PartRow>(printSql(statement), holder))
        if (rows.length === 0) throw new Problem('not_found', 'The span does not exist.')
        const found = rows.filter(({ characters }) => characters > 0).map(row => toPart(row, offset, length))
        const status_message = rows.find(row => row.status_message)?.status_message
        return { count: found.length, status_message, parts: found }
      },
    })
  }
}

function toPart({ part, characters, text, is_parked }: PartRow, offset: number, length: number): object {
  const end = offset + length
  const next = end < characters && length > 0 && { next: end }
  return { part, characters, offset, text, ...next, ...(is_parked === 1 && { is_unsupported: true }) }
}

function toSkeleton(rows: readonly SkeletonRow[], { offset, total }: Pick<Skeleton, 'offset' | 'total'>): Skeleton {
  const names = new Map<string, number>()
  const indexOf = (name: string): number => {
    const index = names.get(name) ?? names.size
    names.set(name, index)
    return index
  }
  const began = rows[0]?.start ?? 0
  const column = <K extends keyof SkeletonRow>(key: K): SkeletonRow[K][] => rows.map(row => row[key])
  const first = (key: 'session_id' | 'user_id'): string | undefined => rows.find(row => row[key] !== '')?.[key]
  return {
    count: rows.length,
    total,
    offset,
    began_at: rows[0] && microsToIso(began),
    spans: {
      span_id: column('span_id'),
      parent_id: column('parent_id'),
      span_name: rows.map(row => indexOf(row.span_name)),
      span_type: rows.map(row => indexOf(row.span_type)),
      start: rows.map(row => row.start - began),
      duration: column('duration'),
      is_error: column('is_error'),
      errors: column('errors'),
      own_tokens: column('own_tokens'),
      tokens: column('tokens'),
      own_costs: column('own_costs'),
      costs: column('costs'),
    },
    // After the columns, which fill it.
    names: [...names.keys()],
    session_id: first('session_id'),
    user_id: first('user_id'),
  }
}
