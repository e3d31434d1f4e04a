import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('./heap-pages.testing.ts', import.meta.url))

test('memory that the heap has needed once is given back while there is work', async () => {
  const child = spawn(process.execPath, ['--max-semi-space-size=8', SCRIPT], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
})
