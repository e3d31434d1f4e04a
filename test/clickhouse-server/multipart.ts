import { Exception } from './exception.ts'
import { toText } from './text.ts'

/**
 * The fields of a multipart/form-data body (RFC 7578), each value byte for byte as it was sent. Parts that carry a file
 * name are ClickHouse's external tables, which are refused.
 */
export function parseMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (boundary === undefined) throw malformed('names no boundary')
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter may open the body without a line break before it.
  const bytes = Buffer.concat([Buffer.from('\r\n'), body])
  const fields: [string, string][] = []
  let start = bytes.indexOf(delimiter)
  while (start !== -1) {
    const contentStart = start + delimiter.length
    if (bytes.toString('latin1', contentStart, contentStart + 2) === '--') return fields
    const end = bytes.indexOf(delimiter, contentStart)
    if (end === -1) break
    fields.push(parsePart(bytes.subarray(contentStart, end)))
    start = end
  }
  throw malformed('ends without its closing boundary')
}

function parsePart(part: Buffer): [string, string] {
  const headEnd = part.indexOf('\r\n\r\n')
  const head = part.toString('latin1', 0, Math.max(headEnd, 0))
  const name = /^content-disposition:.*[;\s]name="([^"]*)"/im.exec(head)?.[1]
  if (name === undefined) throw malformed('has a part without a name')
  if (/;\s*filename/i.test(head)) {
    throw new Exception(48, 'NOT_IMPLEMENTED', 'External tables are not supported by this server.')
  }
  return [name, toText(part.subarray(headEnd + 4))]
}

function malformed(what: string): Exception {
  return new Exception(36, 'BAD_ARGUMENTS', `The multipart body ${what}.`)
}
