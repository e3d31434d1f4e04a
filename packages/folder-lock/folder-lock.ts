import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/**
 * Ensures that only one process at a time uses the folder, which must exist. The lock is an abstract Unix socket named
 * after the folder itself, not after its path: containers that share a network may have different folders at one path.
 * The kernel releases it when the process exits, for whatever reason. It works on Linux only, and not across containers
 * with networks of their own. Rejects if another process (or this one) holds the folder. Resolves to the release
 * function.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => undefined
  const { dev, ino } = statSync(folder, { bigint: true })
  const digest = createHash('sha256').update(`${dev}:${ino}`).digest('hex')
  const server = await listen(`\0spanhouse-${digest.slice(0, 32)}`, folder)
  return () => new Promise(resolve => server.close(() => resolve()))
}

function listen(name: string, folder: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`${folder} is in use by another process`) : error),
    )
    server.listen(name, () => resolve(server.unref()))
  })
}
