import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Answer, call } from '../../harness.ts'
import { newPerson, type Person } from '../people.ts'

const { apiUrl, adminKey } = inject('target')

/** Who does what on the scripted day. Each call must succeed: its body is returned. */
export interface Day {
  host: Person
  /** As the host, in their project. */
  as(method: string, path: string, body?: unknown): Promise<any>
  /** As the platform administrator. */
  admin(method: string, path: string, body?: unknown): Promise<any>
}

export async function newDay(): Promise<Day> {
  const host = await newPerson()
  return {
    host,
    as: async (method, path, body) => bodyOf(`${method} ${path}`, await host.ask(method, path, body)),
    admin: async (method, path, body) =>
      bodyOf(`${method} ${path}`, await call(apiUrl, method, `/api/admin${path}`, `Access ${adminKey}`, body)),
  }
}

export function bodyOf(what: string, { status, body, text }: Answer): any {
  if (status >= 300) throw new Error(`${what}: ${status} ${text}`)
  return body
}

/** A slug that no other call uses. */
export const newSlug = (): string => `d-${randomUUID().slice(0, 12)}`
