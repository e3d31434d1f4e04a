import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import { type Answer, call, newProject } from './harness.ts'

/** Calls of one project's registry. */
export interface RegistryClient {
  send(method: string, path: string, body?: unknown): Promise<Answer>
  /** The body of an answer that must be a 200. */
  ok(method: string, path: string, body?: unknown): Promise<any>
  post(path: string, body?: unknown): Promise<any>
  /** The `detail` of an answer that must have this status. */
  refused(status: number, path: string, body?: unknown): Promise<any>
}

export async function registryClient(): Promise<RegistryClient> {
  const { apiKey } = await newProject()
  const { apiUrl } = inject('target')
  const send: RegistryClient['send'] = (method, path, body) =>
    call(apiUrl, method, `/api${path}`, `ApiKey ${apiKey}`, body)
  const ok: RegistryClient['ok'] = async (method, path, body) => {
    const answer = await send(method, path, body)
    expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200)
    return answer.body
  }
  return {
    send,
    ok,
    post: (path, body = {}) => ok('POST', path, body),
    refused: async (status, path, body) => {
      const answer = await send('POST', path, body)
      expect(answer.status, `${path} ${JSON.stringify(body)} ${answer.text}`).toBe(status)
      return answer.body.detail
    },
  }
}

/** A slug that no other test uses. */
export const slugOf = (stem: string): string => `${stem}-${randomUUID().slice(0, 8)}`
