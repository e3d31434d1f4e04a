import type { Json } from '@spanhouse/model'
import type { Means, PostReply, PostRequest } from '../run.ts'
import { RunError } from '../run-error.ts'
import { readJson } from './read-json.ts'

const FRAGMENTS = { refused: 'v0:schemas:invalid-parameter', failed: 'v0:workflows:custom-hook-client-error' } as const

/**
 * Posts to the caller's service and returns the text of its response. If its status is not 200, throws a RunError with
 * that status, or 500 if it is below 400.
 */
export async function replyTo(means: Means, request: Omit<PostRequest, 'fragments'>): Promise<string> {
  const reply: PostReply = await means.post({ ...request, fragments: FRAGMENTS })
  if (reply.status === 200) return reply.text
  const status = reply.status < 400 ? 500 : reply.status
  throw new RunError(status, 'v0:workflows:custom-hook-server-error', `The service responded with ${reply.status}.`)
}

/** Like {@link replyTo}, but parses the response. Throws a RunError 500 if it is not JSON. */
export async function jsonReplyTo(means: Means, request: Omit<PostRequest, 'fragments'>): Promise<Json> {
  const value = await readJson(await replyTo(means, request))
  if (value === undefined) throw new RunError(500, FRAGMENTS.failed, "The service's response is not JSON.")
  return value
}
