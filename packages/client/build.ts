import { execFileSync } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Builds the package that is published into `dist`: JavaScript and declarations, the examples, and a manifest that
 * points to them. Node does not strip types below node_modules, so the sources cannot be published as they are.
 */
const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')

await rm(DIST, { recursive: true, force: true })
const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js')
execFileSync(process.execPath, [compiler, '-p', HERE], { stdio: 'inherit' })
for (const name of ['README.md', 'examples/evaluate-from-outside.sh'])
  await copyFile(join(HERE, name), join(DIST, name))
const {
  private: _private,
  scripts: _scripts,
  devDependencies: _tools,
  ...manifest
} = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8'))
const exports = { types: './index.d.ts', default: './index.js' }
await writeFile(join(DIST, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`)
