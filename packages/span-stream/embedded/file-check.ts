import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

/**
 * An LMDB file starts with two pages whose first bytes describe it; the one with the higher number is the current state
 * of the file. The size of its pages is that of the machine on which it was created: not everywhere 4 KiB.
 */
const META_BYTES = 160
const MAGIC = 0xbeefc0de
const AT = { magic: 24, pageBytes: 48, rootOfFree: 88, rootOfMain: 136, number: 152 }
const NO_ROOT = 2n ** 64n - 1n

/**
 * Throws if the log's file is not an LMDB file, or ends before the pages that its root refers to. LMDB itself maps the
 * file, and reading there would kill the process without a message.
 */
export function checkFile(folder: string): void {
  const path = join(folder, 'data.mdb')
  const file = openExisting(path)
  if (file === undefined) return
  try {
    const { size } = fstatSync(file)
    if (size === 0) return
    const first = metaAt(file, 0)
    const pageBytes = first.readUInt32LE(AT.pageBytes)
    const second = metaAt(file, pageBytes)
    if ([first, second].some(meta => meta.readUInt32LE(AT.magic) !== MAGIC))
      throw damaged(path, 'it is not an LMDB file')
    const current = second.readBigUInt64LE(AT.number) > first.readBigUInt64LE(AT.number) ? second : first
    const roots = [AT.rootOfFree, AT.rootOfMain].map(at => current.readBigUInt64LE(at))
    if (roots.some(root => root !== NO_ROOT && (root + 1n) * BigInt(pageBytes) > size))
      throw damaged(path, 'it is truncated')
  } finally {
    closeSync(file)
  }
}

/** Zeros beyond the end of the file. */
function metaAt(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(META_BYTES)
  readSync(file, bytes, 0, META_BYTES, position)
  return bytes
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const damaged = (path: string, how: string): Error =>
  new Error(
    `The span stream in ${path} is damaged: ${how}. Restore the file from a backup, or remove it, ` +
      'which loses the accepted spans in it that are not stored yet.',
  )
