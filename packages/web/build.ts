import { existsSync } from 'node:fs'
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * Builds the pages into `dist`, each file also compressed. It is the `prepare` step of `npm ci`. An installation
 * without development dependencies has no bundler, and takes over a `dist` that was built elsewhere.
 */
const DIST = join(import.meta.dirname, 'dist')
/** Built beside the pages in use, and then put in their place: a running server never serves half of a build. */
const NEXT = join(import.meta.dirname, 'dist.next')

const vite = await import('vite').catch(() => undefined)
if (vite) await build(vite)
else if (!existsSync(DIST))
  process.stderr.write('The web application is not built: that needs the development dependencies.\n')

async function build({ build }: typeof import('vite')): Promise<void> {
  const { config } = await import('./vite.config.ts')
  await build({ ...config, logLevel: 'warn', build: { ...config.build, outDir: NEXT } })
  for await (const name of glob('assets/{app,trace}-*.js', { cwd: NEXT })) await compileAhead(join(NEXT, name))
  for await (const name of glob('**/*.{js,css,html,svg}', { cwd: NEXT })) await compress(join(NEXT, name))
  await rm(DIST, { recursive: true, force: true })
  await rename(NEXT, DIST)
}

/**
 * Has V8 compile the code of the first rows beside the main thread while it arrives, instead of each function on the
 * main thread when it is first called. The comment must be the first line, and Vite puts its own there in the end.
 */
async function compileAhead(file: string): Promise<void> {
  await writeFile(file, `//# allFunctionsCalledOnLoad\n${await readFile(file, 'utf8')}`)
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}
