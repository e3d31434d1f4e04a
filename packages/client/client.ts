import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './interface.ts'

/** One method a verb: `spanhouse.POST('/simple/evaluations', { body })`. */
export type Spanhouse = Client<paths>

export interface SpanhouseOptions {
  /** Without a path: `http://127.0.0.1:4600`. */
  url: string
  /** The key of a project. */
  apiKey: string
}

/** A client of one project. */
export const createSpanhouse = ({ url, apiKey }: SpanhouseOptions): Spanhouse =>
  createClient<paths>({
    baseUrl: `${url.endsWith('/') ? url.slice(0, -1) : url}/api`,
    headers: { authorization: `ApiKey ${apiKey}` },
  })

/** A request that Spanhouse has rejected. */
export class SpanhouseError extends Error {
  readonly status: number
  /** The reason as the response gives it: a text, an object with a `message`, or a list of violations. */
  readonly detail: unknown

  constructor(status: number, detail: unknown) {
    super(`${status}: ${messageOf(detail)}`)
    this.status = status
    this.detail = detail
  }
}

function messageOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  const { message } = (detail ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(detail)
}

/** The body of a response. Throws a {@link SpanhouseError} if the request was rejected. */
export async function answered<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (response.ok) return data as T
  throw new SpanhouseError(response.status, (error as { detail?: unknown })?.detail ?? error)
}
