import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'

/** Sends a request to the interface and returns its answer. Rejects with what the server said if that is not a 2xx. */
export async function sendTo(
  { url, apiKey }: Pick<ServerProcess, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
): Promise<any> {
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api${path}`, { method, headers, body: body && JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
