import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The generated API key of the default project, readable for the owner of the data folder only. */
const keyFile = (dataDir: string): string => join(dataDir, 'api-key')

export async function writeKeyFile(dataDir: string, apiKey: string): Promise<void> {
  await writeFile(keyFile(dataDir), `${apiKey}\n`, { mode: 0o600 })
}

/** Undefined when this data folder never had one. */
export async function readKeyFile(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(keyFile(dataDir), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
