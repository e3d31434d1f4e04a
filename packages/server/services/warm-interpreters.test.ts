import { readdir, readFile, rm } from 'node:fs/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { newDataDir, startServerProcess } from '../server-process.testing.ts'

const dataDir = await newDataDir('warm')
// Brief servers wait for the first code.
const server = await startServerProcess({ dataDir, env: { BRIEF_SERVERS: '' } })
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The interpreters among the server's child processes, by name. */
async function interpreters(): Promise<string[]> {
  const threads = await readdir(`/proc/${server.pid}/task`)
  const lists = await Promise.all(threads.map(id => readFile(`/proc/${server.pid}/task/${id}/children`, 'utf8')))
  const pids = lists.flatMap(list => list.split(' ').filter(Boolean))
  const commands = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8')))
  return commands.flatMap(command => /interpreter\/program\.ts\0(\w+)/.exec(command)?.[1] ?? []).sort()
}

test('both interpreters start before there is code to run, and not before the server is ready', async () => {
  expect(await interpreters()).toEqual([])
  await vi.waitFor(async () => expect(await interpreters()).toEqual(['pyodide', 'quickjs']), { timeout: 50_000 })
})
