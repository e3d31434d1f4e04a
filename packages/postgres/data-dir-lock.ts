import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/**
 * Makes sure that one process at a time has the folder open; a second one would silently destroy the data. The lock is
 * an abstract Unix socket named after the folder: the kernel frees it when the process ends, however it ends. It exists
 * on Linux only, and does not reach into other containers. Rejects when another process (or this one) has the folder.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => undefined
  const digest = createHash('sha256').update(realpathSync(dataDir)).digest('hex')
  const server = await listen(`\0spanhouse-postgres-${digest.slice(0, 32)}`, dataDir)
  return () => new Promise(resolve => server.close(() => resolve()))
}

function listen(name: string, dataDir: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`${dataDir} is in use by another process`) : error),
    )
    server.listen(name, () => resolve(server.unref()))
  })
}
