import { invalid, type Json, type Problem, parseJson, unprocessable } from '@spanhouse/model'
import { decompress } from '@spanhouse/otlp'
import type { FastifyRequest } from 'fastify'
import { jsonErrorOffset } from './json-offset.ts'

/** Request bodies of JSON endpoints, before and after decompression. */
export const JSON_BODY_BYTES_MAX = 32 * 1024 * 1024

/**
 * The JSON in a request body, gzip accepted; undefined when there is no body. Integers past 2^53 stay exact. Text that
 * is no JSON is a 422 that says where, as the interface has it; with `echo: false` it repeats nothing of the text.
 */
export async function readJson(
  request: FastifyRequest,
  { echo = true }: { echo?: boolean } = {},
): Promise<Json | undefined> {
  const raw = request.body as Buffer | undefined
  if (!raw || raw.length === 0) return undefined
  const bytes = await decompress(raw, request.headers['content-encoding'], { bytesMax: JSON_BODY_BYTES_MAX })
  const text = decodeText(bytes)
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof RangeError) throw invalid('The body is nested too deeply.')
    throw jsonInvalid(jsonErrorOffset(text), echo ? (error as Error) : new Error('not JSON'))
  }
}

/** A byte order mark in front is left out. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw jsonInvalid(0, error as Error)
  }
}

/** As {@link readJson}, for endpoints that cannot do without a body. */
export async function readRequiredJson(request: FastifyRequest): Promise<Json> {
  const json = await readJson(request)
  if (json === undefined) throw unprocessable({ type: 'missing', loc: ['body'], msg: 'Field required', input: null })
  return json
}

function jsonInvalid(offset: number, error: Error): Problem {
  return unprocessable({
    type: 'json_invalid',
    loc: ['body', offset],
    msg: 'JSON decode error',
    input: {},
    ctx: { error: error.message },
  })
}
