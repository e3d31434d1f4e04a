import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './whole-file.ts'

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
  writeWhole(keyFile(dataDir), `${apiKey}\n`)

export const writeSelfKeyFile = (dataDir: string, apiKey: string): Promise<void> =>
  writeWhole(selfKeyFile(dataDir), `${apiKey}\n`)

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
  // Of several processes only one creates it.
  await writeWhole(path, `${randomBytes(32).toString('hex')}\n`, { isNew: true })
  return (await readLine(path)) as string
}

async function readLine(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
