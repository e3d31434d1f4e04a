import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from './usage-error.ts'

/** The credential that a command sends. */
export interface Settings {
  authorization: string
}

export interface RequestOptions {
  body?: unknown
  accept?: string
}

/** The address of Spanhouse according to the settings, without a path. Throws a UsageError if it is none. */
export function address(): string {
  const url = setting('SPANHOUSE_URL') ?? `http://127.0.0.1:${setting('SPANHOUSE_PORT') ?? '4600'}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`SPANHOUSE_URL=${url} is not an address that starts with http:// or https://`)
  return withoutSlashes(withoutSlashes(url).replace(/\/api$/, ''))
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Empty is unset, as for the server. */
const setting = (name: string): string | undefined => process.env[name]?.trim() || undefined

/** The header of the administrator. Throws an Error if no key is set. */
export function adminAuthorization(): string {
  const key = setting('SPANHOUSE_ADMIN_KEY')
  if (key === undefined) throw new Error('SPANHOUSE_ADMIN_KEY is not set.')
  return `Access ${key}`
}

/** The error for a request that got no response. */
export const noResponse = ({ cause }: { cause?: unknown }): Error =>
  new Error(
    `No response from ${address()} (${(cause as { code?: string } | undefined)?.code ?? cause}): start Spanhouse there, or set SPANHOUSE_URL.`,
  )

/** What a response says of the reason for a refusal. */
export type Detail = string | { message?: string } | { loc: (string | number)[]; msg: string }[]

/** The error for a refusal, which names the setting if it is the key that is refused. */
export function refusal(status: number, detail: Detail | undefined, { authorization }: Settings): Error {
  if (status === 401)
    return new Error(
      authorization.startsWith('Access')
        ? `The server at ${address()} rejects SPANHOUSE_ADMIN_KEY: it has a different one, or none.`
        : `The server at ${address()} rejects the project's API key: set SPANHOUSE_API_KEY.`,
    )
  return new Error(`${reasonIn(detail)} (${status})`)
}

function reasonIn(detail: Detail | undefined): string {
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
  return detail?.message ?? JSON.stringify(detail ?? 'no reason')
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
  const response = await fetch(url + path, { method, headers, body: text }).catch(error => {
    throw noResponse(error)
  })
  if (/json|event-stream/.test(response.headers.get('content-type') ?? '')) return response
  throw new Error(`The server at ${url} is not Spanhouse (HTTP ${response.status}): set SPANHOUSE_URL.`)
}

/** The project's key: from the settings, or the one that the first start wrote to the data folder. */
export async function projectKey(): Promise<string> {
  const key = setting('SPANHOUSE_API_KEY')
  if (key !== undefined) return key
  const folder = setting('SPANHOUSE_DATA_DIR') ?? './data'
  const kept = await readFile(join(folder, 'api-key'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`SPANHOUSE_API_KEY is not set, and ${folder} has no key that can be read: ${error.message}`)
  })
  return kept.trim()
}
