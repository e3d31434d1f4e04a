import { isJsonObject, type Json, type JsonObject, present, withoutTrailing } from '@spanhouse/model'
import { readJson } from '../../evaluation/read-json.ts'
import { replyTo } from '../../evaluation/remote-reply.ts'
import type { Handler } from '../../handler.ts'
import { textForm } from '../../prompt/text-form.ts'
import type { Run } from '../../run.ts'
import { misfit, missing } from '../../run-error.ts'

const TIMEOUT_MS = 30_000
/** The version in the request's envelope. */
const VERSION = '2025.07.14'

/** Calls the user's own service over HTTP. */
export const hook: Handler = {
  key: 'hook',
  kind: 'custom',
  roles: ['application', 'evaluator'],
  template: {
    name: 'Custom Hook',
    description: 'Calls your own service over HTTP.',
    categories: [],
  },
  run: async run => {
    const { url, headers } = run.revision
    if (url === undefined || url === null) throw missing('parameter', 'url')
    if (typeof url !== 'string') throw misfit('parameter', 'url', 'a string', url)
    const text = await replyTo(run.means, {
      url: invokeAddressOf(url),
      ...(isJsonObject(headers) ? { headers: asTexts(headers) } : {}),
      body: envelopeOf(run),
      timeoutMs: TIMEOUT_MS,
    })
    const reply = await readJson(text)
    return outputsIn(reply === undefined ? text : reply)
  },
}

/** `/invoke` is appended to the path: a query, which may be a token, stays behind it. */
function invokeAddressOf(url: string): string {
  const [path = '', query = ''] = url.split(/(?=[?#])(.*)/s)
  return `${withoutTrailing(path, '/')}/invoke${query}`
}

/**
 * The body sent to the service: the envelope of an invocation (8.3), with its data repeated at the top level for
 * services that expect it there (11.1). The caller's baggage is not part of it.
 */
function envelopeOf({ labels, flags, sessionId, revision, ...run }: Run): JsonObject {
  const { references, selector, links, tags, meta } = labels
  const { inputs = {}, parameters, outputs, trace, testcase } = run
  const data = { inputs, parameters, ...present({ outputs, trace, testcase }) }
  return {
    version: VERSION,
    session_id: sessionId,
    flags,
    references,
    links: { ...links },
    ...present({ selector, tags, meta }),
    data: { ...data, revision: { data: revision } },
    ...data,
  }
}

/** The outputs in the envelope of the response (8.6), or the whole response if it has no envelope. */
function outputsIn(reply: Json): Json {
  const data = isJsonObject(reply) ? reply.data : undefined
  return isJsonObject(data) && data.outputs !== undefined ? data.outputs : reply
}

const asTexts = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textForm(value)]))
