import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

const VALUE_IMPORT = /^(?:import|export|\}) (?!type\b).*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/**
 * Whether a test file may start servers: it imports `node:child_process`, directly or through other modules. `file` is
 * relative to the repository. This decides which project of vitest.config.ts the file belongs to.
 */
export function needsServer(file: string): boolean {
  return reachesServer(join(ROOT, file), new Set())
}

function reachesServer(path: string, seen: Set<string>): boolean {
  if (path === 'node:child_process') return true
  if (seen.has(path)) return false
  seen.add(path)
  return importsOf(path).some(one => reachesServer(one, seen))
}

const read = new Map<string, string[]>()

/** What a file imports for more than types: paths of this repository's files, and `node:child_process`. */
function importsOf(path: string): string[] {
  const known = read.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const specifiers = [...text.matchAll(VALUE_IMPORT)].map(([, from, bare, called]) => from ?? bare ?? called ?? '')
  const imports = specifiers.map(one => fileOf(one, path)).filter(one => one !== undefined)
  read.set(path, imports)
  return imports
}

function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier === 'node:child_process') return specifier
  const [, name, inside] = /^@spanhouse\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  const path = name ? join(ROOT, 'packages', name, inside ?? 'index.ts') : join(dirname(importer), specifier)
  return path.endsWith('.ts') && existsSync(path) ? path : undefined
}
