import { getKey } from './key.ts'

const begun = new Map<string, Promise<Response>>()

/** Begins a GET before the code is here that wants its response; `takeBegun` hands it over. */
export function begin(url: string): void {
  const response = fetch(url, { headers: { authorization: `ApiKey ${getKey() ?? ''}` } })
  // The caller that takes it handles a failure.
  response.catch(() => undefined)
  begun.set(url, response)
}

/** The response to a GET that was begun, for the first who asks. */
export function takeBegun(url: string): Promise<Response> | undefined {
  const response = begun.get(url)
  begun.delete(url)
  return response
}
