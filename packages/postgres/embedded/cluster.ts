import { existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type PGliteOptions, protocol } from '@electric-sql/pglite'
import { PrivateFiles } from './private-files.ts'
import { copyTemplate } from './template.ts'

/*
 * V8 optimizes functions of WebAssembly that are hot. For one of them, Postgres' parser of SQL, its compiler holds 600
 * MB, which would be the most memory that the process ever takes. Flags of the process decide whether a function may be
 * optimized later, at the moment when it is first called. They are off while the parser is first called.
 */

/** Postgres' own page cache, which is allocated at the start. Other pages are in the operating system's cache. */
const SHARED_BUFFERS = '32MB'

export interface ClusterOptions {
  /** Its folder. */
  path: string
  /** The cluster that a new one is copied from; if there is none, it is made. */
  template: string
  /** Of values, by the OID of their type. */
  parsers: NonNullable<PGliteOptions['parsers']>
}

/** Opens the cluster in a folder, and creates it if there is none. */
export async function openCluster({ path, template, parsers }: ClusterOptions): Promise<PGlite> {
  await createCluster(path, template)
  const pglite = new Cluster({ ...settingsOf(path), parsers, pgliteWasmModule: await compilePostgres() })
  await pglite.waitReady
  return pglite
}

/**
 * A new cluster's files appear under their final name all at once, so a crash half-way leaves nothing that looks
 * complete.
 */
async function createCluster(path: string, template: string): Promise<void> {
  if (existsSync(path)) return
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  if (existsSync(template)) copyTemplate(template, unfinished)
  else await makeCluster(unfinished)
  await rename(unfinished, path)
}

async function makeCluster(path: string): Promise<void> {
  // None of this lasts long enough for optimized code to pay off.
  allowOptimizing(false)
  try {
    await (await PGlite.create(settingsOf(path))).close()
  } finally {
    allowOptimizing(true)
  }
}

const settingsOf = (path: string): PGliteOptions => ({
  fs: new PrivateFiles(path),
  relaxedDurability: false,
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
})

/** With only the second one off, V8 would optimize functions at once instead of when they are hot. */
const OPTIMIZING_FLAGS = ['wasm-tier-up', 'wasm-dynamic-tiering']

/** Whether functions that are first called from now on may be optimized. */
function allowOptimizing(isAllowed: boolean): void {
  for (const flag of OPTIMIZING_FLAGS) setFlagsFromString(isAllowed ? `--${flag}` : `--no-${flag}`)
}

/** A section that means nothing: its id, its length, and the length and text of its name. */
const EMPTY_SECTION = Buffer.from([0, 2, 1, 'x'.charCodeAt(0)])

/**
 * Postgres with one section more than PGlite's own module, which has created the cluster: V8 shares compiled code among
 * modules of the same bytes, so nothing of this one could be optimized either.
 */
async function compilePostgres(): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  return WebAssembly.compile(Buffer.concat([bytes, EMPTY_SECTION]))
}

const { serialize } = protocol

class Cluster extends PGlite {
  /** PGlite calls it once, before its first statement. */
  override async _initArrayTypes(options?: { force?: boolean }): Promise<void> {
    allowOptimizing(false)
    try {
      // An empty statement is parsed, and nothing else is done with it.
      this.execProtocolRawSync(serialize.query(''))
    } finally {
      allowOptimizing(true)
    }
    await super._initArrayTypes(options)
  }
}
