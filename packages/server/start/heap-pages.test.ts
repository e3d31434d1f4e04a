import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { START_OPTIONS } from './options.ts'

const SCRIPT = fileURLToPath(new URL('./heap-pages.testing.ts', import.meta.url))

test('memory that the heap has needed once is given back while there is work', async () => {
  const child = spawn(process.execPath, [...START_OPTIONS, SCRIPT], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
})
