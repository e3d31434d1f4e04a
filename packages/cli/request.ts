import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The credential that a command sends. */
export interface Settings {
  authorization: string
}

export interface RequestOptions {
  body?: unknown
  accept?: string
}

/** The address of Spanhouse according to the settings. */
export function address(): string {
  const { SPANHOUSE_PORT: port = '4600', SPANHOUSE_URL: url = `http://127.0.0.1:${port}` } = process.env
  return url
}

/**
 * Sends a request to Spanhouse. Throws an Error for the person at the terminal if nothing responds, or if the server is
 * not Spanhouse.
 */
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
    throw new Error(`No response from ${url} (${cause?.code ?? cause}): start Spanhouse there, or set SPANHOUSE_URL.`)
  })
  if (/json|event-stream/.test(response.headers.get('content-type') ?? '')) return response
  throw new Error(`The server at ${url} is not Spanhouse (HTTP ${response.status}): set SPANHOUSE_URL.`)
}

/** The project's key: from the settings, or the one that the first start wrote to the data folder. */
export async function projectKey(): Promise<string> {
  const { SPANHOUSE_API_KEY, SPANHOUSE_DATA_DIR = './data' } = process.env
  if (SPANHOUSE_API_KEY !== undefined) return SPANHOUSE_API_KEY
  const kept = await readFile(join(SPANHOUSE_DATA_DIR, 'api-key'), 'utf8').catch(() => undefined)
  if (kept === undefined) throw new Error('SPANHOUSE_API_KEY is not set, and ./data contains no key.')
  return kept.trim()
}
