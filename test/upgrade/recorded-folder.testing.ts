import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'

/** The key that the recorded folder's default project has. */
export const KEYS = {
  apiKey: 'v1fixtre.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  adminKey: 'v1-fixture-admin-key-0123456789',
  // The one that is in the folder.
  secretKey: '',
}

/** The trace that was accepted and not stored. */
export const NOT_STORED = '7'.repeat(32)

/** Unpacks the recorded folder into a new temporary one, and resolves to its path. */
export async function unpackFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-upgrade-'))
  const archive = join(import.meta.dirname, 'data-folder-1.tar.zst')
  const tar = spawn('tar', ['-x', '-C', dataDir], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(tar, 'exit')
  await pipeline(createReadStream(archive), createZstdDecompress(), tar.stdin)
  const [code] = await ended
  if (code !== 0) throw new Error(`tar ended with code ${code}`)
  return dataDir
}

/** The response that was recorded for a `POST` to this path with `{}`. */
export const recorded = async (path: string): Promise<any> =>
  JSON.parse(await readFile(join(import.meta.dirname, 'answers', `${path.replaceAll('/', '-')}.json`), 'utf8'))
