import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The generated API key of the default project, readable only by the owner of the data folder. */
const keyFile = (dataDir: string): string => join(dataDir, 'api-key')

/** That of the project with the program's own traces. */
const selfKeyFile = (dataDir: string): string => join(dataDir, 'self-tracing-key')

const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key')

/** The files with keys in a data folder, which need not exist. */
export const keyFilesOf = (dataDir: string): string[] => [
  keyFile(dataDir),
  selfKeyFile(dataDir),
  secretKeyFile(dataDir),
]

export const writeKeyFile = (dataDir: string, apiKey: string): Promise<void> =>
  writeFile(keyFile(dataDir), `${apiKey}\n`, { mode: 0o600 })

export const writeSelfKeyFile = (dataDir: string, apiKey: string): Promise<void> =>
  writeFile(selfKeyFile(dataDir), `${apiKey}\n`, { mode: 0o600 })

/** Undefined if this data folder never had one. */
export const readKeyFile = (dataDir: string): Promise<string | undefined> => readLine(keyFile(dataDir))

/**
 * The key that encrypts stored secrets if none is set: generated at the first start, with the same permissions as the
 * API key.
 */
export async function ensureSecretKeyFile(dataDir: string): Promise<string> {
  const path = secretKeyFile(dataDir)
  const existing = await readLine(path)
  if (existing !== undefined) return existing
  const unfinished = `${path}.${randomUUID()}`
  try {
    await writeFile(unfinished, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    // The file appears complete and once: a full disk leaves no empty key, and of several processes only one creates
    // it.
    await link(unfinished, path).catch(ignoreExisting)
  } finally {
    await rm(unfinished, { force: true })
  }
  return (await readLine(path)) as string
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function readLine(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
