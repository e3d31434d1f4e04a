import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Modules of this name start a server in a process of its own. */
const STARTS_SERVER = /(-server|server-process)\.testing\.ts$/

const VALUE_IMPORT = /^(?:import|export|\}) (?!type\b).*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/**
 * Whether a test file starts servers: one of the modules that it imports, directly or through others, is named for that.
 * `file` is relative to the repository. This decides which project of vitest.config.ts the file belongs to.
 */
export function needsServer(file: string): boolean {
  return reachesServer(join(ROOT, file), new Set())
}

function reachesServer(path: string, seen: Set<string>): boolean {
  if (STARTS_SERVER.test(path)) return true
  if (seen.has(path)) return false
  seen.add(path)
  return importsOf(path).some(one => reachesServer(one, seen))
}

const read = new Map<string, string[]>()

/** The files of this repository that a file imports for more than types. */
function importsOf(path: string): string[] {
  const known = read.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const specifiers = [...text.matchAll(VALUE_IMPORT)].map(([, from, bare, called]) => from ?? bare ?? called ?? '')
  const imports = specifiers.map(one => fileOf(one, path)).filter(one => one?.endsWith('.ts') && existsSync(one))
  read.set(path, imports as string[])
  return imports as string[]
}

function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier)
  const [, name, inside] = /^@spanhouse\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  return name && join(ROOT, 'packages', name, inside ?? 'index.ts')
}
