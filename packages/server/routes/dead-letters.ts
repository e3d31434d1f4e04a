import { microsToIso, Problem } from '@spanhouse/model'
import { type ListedLetter, MESSAGE_FORMATS, type SpanStream } from '@spanhouse/span-stream'
import { integerText, jsonObject, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addAdminEndpoint } from '../http/endpoint.ts'

const PAGE_DEFAULT = 50
const PAGE_MAX = 500

const tag = 'dead letters'
const params = z.object({ id: z.string() })
const query = z.object({
  limit: optional(integerText({ min: 1, max: PAGE_MAX })),
  after: optional(z.string()),
})

const letter = z.object({
  id: z.string(),
  reason: z.string().meta({ description: 'Why the writer could not process it.' }),
  rejected_at: z.string(),
  attempt: z.int().meta({ description: 'The number of the attempt that failed.' }),
  project_id: z.string(),
  user_id: z.string(),
  accepted_at: z.string(),
  span_count: z.int(),
  format: z.enum(MESSAGE_FORMATS),
  bytes: z.int(),
  is_damaged: z.boolean().meta({
    description: 'Whether the accepted data can no longer be read. Such a letter can only be discarded.',
  }),
})
const wholeLetter = letter.extend({
  body: z
    .string()
    .nullable()
    .meta({ description: 'The accepted data in base64; null if the letter is damaged.', contentEncoding: 'base64' }),
})
const one = z.object({ count: z.int(), dead_letter: z.object({ id: z.string() }) })

/**
 * Accepted data that could not be processed, with the reason. A letter stays until it is replayed, which returns it to
 * the stream (spans already stored are not duplicated), or discarded.
 */
export function deadLetterRoutes(stream: SpanStream): (app: FastifyInstance) => void {
  return app => {
    addAdminEndpoint(app, {
      method: 'GET',
      path: '/admin/dead-letters',
      tag,
      summary: 'Lists dead letters, the oldest first.',
      query,
      answer: z.object({ count: z.int(), dead_letters: z.array(letter), windowing: optional(jsonObject) }),
      handle: async ({ query: { limit = PAGE_DEFAULT, after } }) => {
        const letters = await stream.deadLetters({ limit, after })
        const next = letters.length === limit ? { windowing: { after: letters.at(-1)?.id, limit } } : {}
        return { count: letters.length, dead_letters: letters.map(letterToJson), ...next }
      },
    })
    addAdminEndpoint(app, {
      method: 'GET',
      path: '/admin/dead-letters/:id',
      tag,
      summary: 'Returns a dead letter.',
      params,
      answer: z.object({ count: z.int(), dead_letter: wholeLetter }),
      handle: async ({ params: { id } }) => {
        const found = (await stream.deadLetter(id)) ?? unknown(id)
        const { body } = found.message
        const text = body && Buffer.from(body).toString('base64')
        const bodyBytes = body === null ? null : body.length
        return { count: 1, dead_letter: { ...letterToJson({ ...found, bodyBytes }), body: text } }
      },
    })
    addAdminEndpoint(app, {
      method: 'POST',
      path: '/admin/dead-letters/:id/replay',
      change: 'dead_letters.replayed',
      tag,
      params,
      answer: one,
      summary: 'Processes the letter again and removes it.',
      handle: async ({ params: { id } }) => done(id, await stream.replay(id)),
    })
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: '/admin/dead-letters/:id',
      change: 'dead_letters.deleted',
      tag,
      params,
      answer: one,
      summary: 'Removes the letter permanently: its spans are lost.',
      handle: async ({ params: { id } }) => done(id, await stream.discard(id)),
    })
  }
}

const done = (id: string, existed: boolean): object => (existed ? { count: 1, dead_letter: { id } } : unknown(id))

function unknown(id: string): never {
  throw new Problem('not_found', { message: 'The dead letter does not exist.', ref: id })
}

function letterToJson({ id, reason, rejected_at, attempt, message, bodyBytes }: ListedLetter): z.output<typeof letter> {
  const { project_id, user_id, span_count, format, accepted_at } = message
  return {
    id,
    reason,
    rejected_at: microsToIso(rejected_at),
    attempt,
    project_id,
    user_id,
    accepted_at: microsToIso(accepted_at),
    span_count,
    format,
    bytes: bodyBytes ?? 0,
    is_damaged: bodyBytes === null,
  }
}
