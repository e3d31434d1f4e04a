import { invalid } from '@spanhouse/model'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendProblem, toProblem } from './errors.ts'

/** Thrown by the next request. */
let failure: Error
let app: FastifyInstance
const lines: { level: number; reason?: string }[] = []

beforeAll(() => {
  const loggerInstance: FastifyBaseLogger = pino({ level: 'warn' }, { write: line => lines.push(JSON.parse(line)) })
  app = Fastify({ loggerInstance })
  app.setErrorHandler((error, request, reply) => sendProblem(toProblem(error), request, reply))
  for (const path of ['/', '/v1/things/:id']) app.get(path, () => Promise.reject(failure))
})
afterAll(() => app.close())

test('why a store fails is in the log, once for many requests, and not in their responses', async () => {
  failure = Object.assign(new Error('could not extend file "base/5/16389": No space left on device'), { code: '53100' })
  const responses = await Promise.all(Array.from({ length: 3 }, () => app.inject('/')))
  expect(responses.map(({ statusCode, body }) => [statusCode, JSON.parse(body)])).toEqual(
    Array(3).fill([503, { detail: 'The database has no space left on its disk.' }]),
  )
  expect(lines.splice(0)).toMatchObject([
    {
      level: 40,
      reason:
        'The database has no space left on its disk: could not extend file "base/5/16389": No space left on device',
      msg: 'requests cannot be served',
    },
  ])
})

test('what is wrong with a request is not in the log', async () => {
  failure = invalid('limit must be positive')
  expect((await app.inject('/')).statusCode).toBe(400)
  expect(lines).toEqual([])
})

test('a defect names the operation as the OpenAPI document does', async () => {
  failure = new Error('a defect')
  const { body } = await app.inject('/v1/things/1')
  expect(JSON.parse(body).detail).toMatchObject({ operation_id: 'get_v1_things_id' })
  expect(lines.splice(0)).toMatchObject([{ level: 50, msg: 'request failed' }])
})
