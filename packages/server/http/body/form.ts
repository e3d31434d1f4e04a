import { invalid, Problem } from '@spanhouse/model'
import { z } from '@spanhouse/validation'
import type { FastifyRequest } from 'fastify'
import { watchBody } from '../../budget/read-body.ts'
import type { Held } from '../../budget/room.ts'
import { discardRest } from './discard.ts'

const FIELDS_MAX = 50
const FIELD_BYTES_MAX = 256 * 1024
/** Maximum size of everything in a form besides its file. */
const BESIDE_FILE_BYTES_MAX = 1024 * 1024

/** The limits of a multipart form: at most one file, and texts before and after it. */
export interface FormLimits {
  /** A larger file is a 400. */
  fileBytesMax: number
}

/** Of the whole body. */
export const formBytesMax = ({ fileBytesMax }: FormLimits): number => fileBytesMax + BESIDE_FILE_BYTES_MAX

/** A file in a form, as a field of the schema that describes the form. */
export const formFile = z
  .custom<Buffer>(value => Buffer.isBuffer(value), { params: { type: 'missing' }, error: 'Field required' })
  .meta({ type: 'string', format: 'binary' })

/**
 * The fields of a multipart form: texts, and the bytes of a file. An empty text counts as absent: browsers send one for
 * each empty input. Undefined if the body is not a form. The route must be in a scope in which @fastify/multipart is
 * registered. 400 for a malformed or compressed form or one over a limit, after the rest of the body is read; 503 if
 * there is no room for it.
 */
export async function readForm(
  request: FastifyRequest,
  { fileBytesMax, held }: FormLimits & { held: Held },
): Promise<Record<string, string | Buffer> | undefined> {
  if (!request.isMultipart()) return undefined
  requireUncompressed(request.headers['content-encoding'])
  const bytesMax = formBytesMax({ fileBytesMax })
  const refusal = (): Problem =>
    invalid(`The form exceeds the limit for a file of ${fileBytesMax} bytes with its fields.`)
  const arrived = watchBody(request.raw, { bytesMax, held, refusal, onData: () => {}, onEnd: bytes => bytes })
  try {
    const [fields, bytes] = await Promise.all([readParts(request, fileBytesMax), arrived])
    held.add(bytes * (MADE_OF_BYTE - 1))
    return fields
  } catch (error) {
    request.raw.unpipe()
    await discardRest(request.raw)
    if (error instanceof Problem) throw error
    throw unreadable(error as Error & { code?: string }, fileBytesMax)
  }
}

/** The memory per byte of a file once its rows are parsed: a value in two bytes takes 64. */
const MADE_OF_BYTE = 4

async function readParts(request: FastifyRequest, fileSize: number): Promise<Record<string, string | Buffer>> {
  const limits = { fileSize, files: 1, fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX }
  const fields = new Map<string, string | Buffer>()
  for await (const part of request.parts({ limits })) {
    if (part.type === 'file') fields.set(part.fieldname, await part.toBuffer())
    else if (part.valueTruncated) throw invalid(`${part.fieldname}: a field may have at most ${FIELD_BYTES_MAX} bytes`)
    else if (part.value !== '') fields.set(part.fieldname, textOf(part.value))
  }
  return Object.fromEntries(fields)
}

/** The parser has parsed a part of the type `application/json` already. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The form is parsed as it arrives. */
function requireUncompressed(contentEncoding = 'identity'): void {
  if (contentEncoding.trim().toLowerCase() !== 'identity')
    throw invalid(`Content-Encoding ${contentEncoding} is not supported for forms: send the form uncompressed`)
}

function unreadable(error: Error & { code?: string }, fileBytesMax: number): Problem {
  if (error.code === 'FST_REQ_FILE_TOO_LARGE') return invalid(`The file is larger than ${fileBytesMax} bytes.`)
  if (error.code === 'FST_FILES_LIMIT') return invalid('The form has several files; one is expected.')
  return new Problem('invalid', `The form cannot be read: ${error.message}`, { cause: error })
}
