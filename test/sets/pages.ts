import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const WEB = join(import.meta.dirname, '../../packages/web')

/** The pages as `npm ci` builds them; builds them if it has not. */
export default function build(): void {
  if (!existsSync(join(WEB, 'dist/index.html')))
    execFileSync(process.execPath, [join(WEB, 'build.ts')], { stdio: 'inherit' })
}
