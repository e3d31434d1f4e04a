import { isUnanswered } from './failures.ts'

/**
 * All of them; most of them, without waiting for the others; or those that respond, at least one. For what servers do
 * not tell each other.
 */
export type Servers = 'all' | 'most' | 'responding'

/** Does the same on several servers. Rejects with the error of one of them if not enough of them have done it. */
export async function onServers<Server>(
  servers: readonly Server[],
  which: Servers,
  work: (server: Server, signal?: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (which === 'most') return onMost(servers, work)
  const ended = await Promise.allSettled(servers.map(server => work(server)))
  const failed = ended.filter(one => one.status === 'rejected').map(({ reason }) => reason)
  const isEnough = which === 'responding' && failed.length < ended.length && failed.every(isUnanswered)
  if (failed.length > 0 && !isEnough) throw failed.find(error => !isUnanswered(error)) ?? failed[0]
}

/** Does not wait for the slower half, nor for servers that are away. */
async function onMost<Server>(
  servers: readonly Server[],
  work: (server: Server, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const others = new AbortController()
  const failuresMax = Math.ceil(servers.length / 2) - 1
  let missing = servers.length - failuresMax
  let failures = 0
  try {
    await new Promise<void>((resolve, reject) => {
      const done = (): void => {
        if (--missing === 0) resolve()
      }
      const fail = (error: unknown): void => {
        if (++failures > failuresMax) reject(error)
      }
      for (const server of servers) work(server, others.signal).then(done, fail)
    })
  } finally {
    others.abort()
  }
}
