import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from './embedded.ts'

const WEB = join(import.meta.dirname, '../../packages/web')

/**
 * The pages as `npm ci` builds them, or built now if it has not, on a server that may call a model provider at a local
 * address.
 */
export default function start(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(WEB, 'dist/index.html')))
    execFileSync(process.execPath, [join(WEB, 'build.ts')], { stdio: 'inherit' })
  return startEmbedded(project, { SPANHOUSE_OUTBOUND_OPEN: 'true' })
}
