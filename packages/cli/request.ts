import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** With which credential a command calls. */
export interface Settings {
  authorization: string
}

export interface RequestOptions {
  body?: unknown
  accept?: string
}

/** Where Spanhouse listens, by the settings. */
function address(): string {
  const { SPANHOUSE_PORT: port = '4600', SPANHOUSE_URL: url = `http://127.0.0.1:${port}` } = process.env
  return url
}

/** Calls Spanhouse. Throws an Error in words for the person at the terminal when nobody answers, or somebody else does. */
export async function request(
  method: string,
  path: string,
  { authorization }: Settings,
  { body, accept }: RequestOptions = {},
): Promise<Response> {
  const url = address()
  const headers = {
    authorization,
    ...(accept && { accept }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const response = await fetch(url + path, { method, headers, body: text }).catch(({ cause }) => {
    throw new Error(`Nobody answers at ${url} (${cause?.code ?? cause}): start Spanhouse there, or set SPANHOUSE_URL.`)
  })
  if (/json|event-stream/.test(response.headers.get('content-type') ?? '')) return response
  throw new Error(`It is not Spanhouse that answers at ${url} (HTTP ${response.status}): set SPANHOUSE_URL.`)
}

/** The key that the first start has left in the data folder; undefined when there is none. */
export const keptKey = (): Promise<string | undefined> =>
  readFile(join(process.env.SPANHOUSE_DATA_DIR ?? './data', 'api-key'), 'utf8').then(
    key => key.trim(),
    () => undefined,
  )
