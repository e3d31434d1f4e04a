import type { Json } from '@spanhouse/model'
import type { Means, PostReply, PostRequest } from '../run.ts'
import { RunError } from '../run-error.ts'
import { readJson } from './read-json.ts'

const FRAGMENTS = { refused: 'v0:schemas:invalid-parameter', failed: 'v0:workflows:custom-hook-client-error' }

/**
 * Posts to a service of the caller's and returns the text of its reply. Throws a RunError with the service's status, or 500 for
 * one below 400, when that is not 200.
 */
export async function replyTo(means: Means, request: Omit<PostRequest, 'fragments'>): Promise<string> {
  const reply: PostReply = await means.post({ ...request, fragments: FRAGMENTS })
  if (reply.status === 200) return reply.text
  const status = reply.status < 400 ? 500 : reply.status
  throw new RunError(status, 'v0:workflows:custom-hook-server-error', `The service answered with ${reply.status}.`)
}

/** As {@link replyTo}, and reads the reply. Throws a RunError 500 when it is no JSON. */
export async function jsonReplyTo(means: Means, request: Omit<PostRequest, 'fragments'>): Promise<Json> {
  const value = await readJson(await replyTo(means, request))
  if (value === undefined) throw new RunError(500, FRAGMENTS.failed, 'The service did not answer with JSON.')
  return value
}
