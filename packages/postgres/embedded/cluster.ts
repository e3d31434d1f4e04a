import { existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type PGliteOptions, protocol } from '@electric-sql/pglite'
import { PrivateFiles } from './private-files.ts'

/*
 * V8 optimizes functions of WebAssembly that are hot. For one of them, the parser of SQL, its compiler holds 600 MB, which
 * would be the most memory that the process ever takes. Whether a function will be optimized is decided when it is called
 * first, by a flag of the process, so the flag is off while the parser is called first.
 */

/** Postgres' own page cache, which is allocated at the start. Other pages are in the operating system's cache. */
const SHARED_BUFFERS = '32MB'

/** Opens the cluster in a folder, after creating it if there is none. Values of these types (by OID) are parsed by `parsers`. */
export async function openCluster(path: string, parsers: PGliteOptions['parsers']): Promise<PGlite> {
  await createCluster(path)
  const pglite = new Cluster({ ...settingsOf(path), parsers, pgliteWasmModule: await compilePostgres() })
  await pglite.waitReady
  return pglite
}

/**
 * A new cluster's files appear under their final name all at once, so a crash half-way leaves nothing that looks
 * complete. What creates it is not worth optimizing.
 */
async function createCluster(path: string): Promise<void> {
  if (existsSync(path)) return
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  optimize(false)
  try {
    await (await PGlite.create(settingsOf(unfinished))).close()
  } finally {
    optimize(true)
  }
  await rename(unfinished, path)
}

const settingsOf = (path: string): PGliteOptions => ({
  fs: new PrivateFiles(path),
  relaxedDurability: false,
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
})

/** Without tiering alone, V8 would optimize functions at once. */
const OPTIMIZING = ['wasm-tier-up', 'wasm-dynamic-tiering']

/** Whether functions that are called first from now on are optimized when they are hot. */
function optimize(are: boolean): void {
  for (const flag of OPTIMIZING) setFlagsFromString(are ? `--${flag}` : `--no-${flag}`)
}

/** A section that means nothing: its id, its length, and that of its name. */
const EMPTY_SECTION = Buffer.from([0, 2, 1, 'x'.charCodeAt(0)])

/** With a section more, since V8 shares what it has compiled among modules of the same bytes, and the cluster was created by those. */
async function compilePostgres(): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  return WebAssembly.compile(Buffer.concat([bytes, EMPTY_SECTION]))
}

const { serialize } = protocol

class Cluster extends PGlite {
  /** PGlite calls it before its first statement. */
  override async _initArrayTypes(options?: { force?: boolean }): Promise<void> {
    optimize(false)
    try {
      // An empty statement is parsed, and nothing else is done with it.
      this.execProtocolRawSync(serialize.query(''))
    } finally {
      optimize(true)
    }
    await super._initArrayTypes(options)
  }
}
