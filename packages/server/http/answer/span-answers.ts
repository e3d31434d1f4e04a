import { SPAN_KINDS, SPAN_TYPES, STATUS_CODES, TRACE_TYPES } from '@spanhouse/model'
import { ORDERS } from '@spanhouse/query'
import { json, jsonObject, z } from '@spanhouse/validation'

/** Where the next page begins. Absent if this was the last one. */
export const nextPage = z
  .object({
    oldest: z.string().optional(),
    newest: z.string().optional(),
    next: z.string().optional(),
    limit: z.int().optional(),
    order: z.enum(ORDERS).optional(),
  })
  .optional()
  .meta({ description: 'Send it unchanged as `windowing` to get the next page; absent on the last page.' })

const time = z.string().meta({ format: 'date-time' })
const id = z.string()
const attributes = jsonObject.optional()

/** A span in an answer: members without a value are left out. */
export const spanAnswer = z.object({
  trace_id: id.meta({ description: '32 hexadecimal digits.' }),
  span_id: id.meta({ description: '16 hexadecimal digits.' }),
  parent_id: id.optional().meta({ description: 'The span above; absent on a root.' }),
  trace_type: z.enum(TRACE_TYPES),
  span_type: z.enum(SPAN_TYPES),
  span_kind: z.enum(SPAN_KINDS),
  span_name: z.string(),
  start_time: time,
  end_time: time,
  status_code: z.enum(STATUS_CODES),
  status_message: z.string().optional(),
  session_id: z.string().optional().meta({ description: 'On roots.' }),
  user_id: z.string().optional().meta({ description: 'On roots.' }),
  agent_id: z.string().optional().meta({ description: 'On roots.' }),
  attributes: jsonObject.meta({
    description: 'Nested: `ag` with `type`, `data`, `metrics`, …, and what else was sent.',
  }),
  references: z
    .array(z.object({ id: id.optional(), slug: id.optional(), version: id.optional(), attributes }))
    .optional(),
  links: z.array(z.object({ trace_id: id, span_id: id, attributes })).optional(),
  hashes: z.array(z.object({ id, attributes })).optional(),
  events: z.array(z.object({ name: z.string(), timestamp: time, attributes })).optional(),
  created_at: time,
  created_by_id: id.optional(),
  updated_at: time.optional(),
  updated_by_id: id.optional(),
})

/** The spans of a level of a trace by name, each with those below it. */
export const treeAnswer = z.record(z.string(), json).meta({
  description: 'Spans by name: each a span, or a list of spans with this name, with the spans below it under `spans`.',
  additionalProperties: { description: 'A span or a list of spans.', type: ['object', 'array'] },
})
