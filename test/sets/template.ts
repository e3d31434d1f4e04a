import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Makes the cluster that embedded databases begin with, if the migrations have changed since `npm ci`. */
export default (): void => {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../packages/postgres/build.ts', import.meta.url))])
}
