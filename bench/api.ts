import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'

/** Sends a request to the interface and returns its answer. Rejects with what the server said if that is not a 2xx. */
export const sendTo = (
  { url, apiKey }: Pick<ServerProcess, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
): Promise<any> => send(`${url}/api${path}`, `ApiKey ${apiKey}`, method, body)

/** The API key of a project of its own. */
export async function newApiKey({ url, adminKey }: ServerProcess): Promise<string> {
  const accounts = { one: { user: { email: `${crypto.randomUUID()}@bench.test` } } }
  const made = await send(`${url}/api/admin/simple/accounts/`, `Access ${adminKey}`, 'POST', { accounts })
  return made.accounts.one.api_keys.key
}

// biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
async function send(url: string, authorization: string, method: string, body?: object): Promise<any> {
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
