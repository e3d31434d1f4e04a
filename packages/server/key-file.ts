import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The generated API key of the default project, readable for the owner of the data folder only. */
const keyFile = (dataDir: string): string => join(dataDir, 'api-key')

export async function writeKeyFile(dataDir: string, apiKey: string): Promise<void> {
  await writeFile(keyFile(dataDir), `${apiKey}\n`, { mode: 0o600 })
}

/** Undefined when this data folder never had one. */
export const readKeyFile = (dataDir: string): Promise<string | undefined> => readLine(keyFile(dataDir))

/** The key that encrypts stored secrets where none is set: made at the first start, and readable as the API key is. */
export async function ensureSecretKeyFile(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret-key')
  const existing = await readLine(path)
  if (existing !== undefined) return existing
  const key = randomBytes(32).toString('hex')
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

async function readLine(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
