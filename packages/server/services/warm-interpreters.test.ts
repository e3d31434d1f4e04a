import { readdir, readFile, rm } from 'node:fs/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { newDataDir, type ServerProcess, startServerProcess } from '../server-process.testing.ts'

const dataDir = await newDataDir('warm')
let server = await startServerProcess({ dataDir })
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The interpreters among a server's child processes, by name. */
async function interpretersOf({ pid }: ServerProcess): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(threads.map(id => readFile(`/proc/${pid}/task/${id}/children`, 'utf8')))
  const pids = lists.flatMap(list => list.split(' ').filter(Boolean))
  const commands = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8')))
  return commands.flatMap(command => /interpreter\/program\.ts\0(\w+)/.exec(command)?.[1] ?? []).sort()
}

async function runJavascript({ url, apiKey }: ServerProcess): Promise<unknown> {
  const answer = await fetch(`${url}/api/services/auto_custom_code_run/v0/invoke`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      data: {
        parameters: { runtime: 'javascript', version: '3', code: 'const evaluate = () => 0.75' },
        inputs: { correct_answer: 'x' },
        outputs: 'x',
      },
    }),
  })
  return ((await answer.json()) as { data: { outputs: unknown } }).data.outputs
}

test('an interpreter starts with the first code in its language, and from then on as soon as a server is quiet', async () => {
  expect(await interpretersOf(server)).toEqual([])
  expect(await runJavascript(server)).toEqual({ score: 0.75, success: true })
  expect(await interpretersOf(server)).toEqual(['quickjs'])
  await server.stop()
  server = await startServerProcess({ dataDir, like: server })
  expect(await interpretersOf(server)).toEqual([])
  await vi.waitFor(async () => expect(await interpretersOf(server)).toEqual(['quickjs']), { timeout: 60_000 })
})
