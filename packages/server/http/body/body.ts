import { isUtf8 } from 'node:buffer'
import {
  type Json,
  JsonBoundError,
  nextTurn,
  Problem,
  parseJsonInTurns,
  scanJson,
  unprocessable,
  type Violation,
} from '@spanhouse/model'
import type { FastifyRequest } from 'fastify'
import { jsonBounds, parsedBytes } from '../../budget/limits.ts'
import { inflateBody, readBody } from '../../budget/read-body.ts'
import type { Held } from '../../budget/room.ts'
import { jsonErrorOffset } from './json-offset.ts'

export interface JsonReading {
  /** Maximum size as received and after decompression; it also determines the bounds of the text. */
  bytesMax: number
  /** Counts the body and the values in it. */
  held: Held
  /** False if a 422 must not echo the input. */
  echo?: boolean
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * The JSON in a request body, compressed or not; undefined if there is no body. Integers past 2^53 stay exact. Rejects
 * with a 422 that gives the location, as the interface specifies, if the text is not JSON, is nested too deeply or
 * contains an overlong number; with 413 if the body or its number of values exceeds the limit; otherwise as `readBody`
 * does.
 */
export async function readJson(request: FastifyRequest, reading: JsonReading): Promise<Json | undefined> {
  const { bytesMax, held } = reading
  const raw = await readBody(request.raw, bytesMax, held)
  if (raw.length === 0) return undefined
  const sent = await inflateBody(raw, request.headers['content-encoding'], { bytesMax, held })
  const bytes = sent.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? sent.subarray(BYTE_ORDER_MARK.length)
    : sent
  if (!isUtf8(bytes)) throw noJson(0, 'The text is not encoded in UTF-8')
  const values = await scanJson(bytes, jsonBounds(bytesMax)).catch(refuseExcess)
  held.add(parsedBytes(bytes, values))
  const json = await parse(bytes, reading)
  held.add(-sent.length)
  await nextTurn()
  return json
}

async function parse(bytes: Buffer, { echo = true }: JsonReading): Promise<Json> {
  try {
    return await parseJsonInTurns(bytes)
  } catch (error) {
    throw noJson(await jsonErrorOffset(bytes.toString()), echo ? (error as Error).message : 'not JSON')
  }
}

function refuseExcess(error: unknown): never {
  if (!(error instanceof JsonBoundError)) throw error
  const { bound, message, path } = error
  if (bound === 'valuesMax') throw new Problem('too_large', message)
  throw unprocessable({ type: 'json_invalid', loc: ['body', ...path], msg: message, input: {} })
}

function noJson(offset: number, error: string): Problem {
  const violation: Violation = { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {} }
  return unprocessable({ ...violation, ctx: { error } })
}
