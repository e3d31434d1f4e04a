import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../harness.ts'
import { type Report, Watcher } from './watcher.ts'

let server: ChildProcess
let url: string
let watcher: Watcher
let reports: Report[]
beforeEach(async () => {
  server = fork(new URL('./blocking-server.testing.ts', import.meta.url), { execArgv: [] })
  const [port] = await once(server, 'message')
  url = `http://127.0.0.1:${port}`
  reports = []
  watcher = new Watcher({ freezeMs: 300, tell: report => reports.push(report) })
  watcher.watch({ name: 'server', url })
  await eventually(async () => reports.some(({ kind }) => kind === 'memory'))
})
afterEach(async () => {
  server.kill('SIGKILL')
  await watcher.end()
})

const freezes = (): Report[] => reports.filter(({ kind }) => kind === 'freeze')

test('a blocked event loop is a freeze', async () => {
  await fetch(`${url}/block/1500`)
  await eventually(async () => freezes().length > 0)
  expect(freezes()[0]).toMatchObject({ name: 'server', ms: expect.toSatisfy((ms: number) => ms > 300 && ms < 3_000) })
})

test('an answer that is late while the loop turns is none, and counts in the latencies', async () => {
  await fetch(`${url}/wait/1500`)
  await fetch(`${url}/block/1500`)
  await eventually(async () => freezes().length > 0)
  const { server: latency } = await watcher.end()
  expect(latency?.maxMs).toBeGreaterThan(1_400)
  watcher = new Watcher({ freezeMs: 300, tell: () => undefined })
})

test('a process that has ended is reported', async () => {
  server.kill('SIGKILL')
  await eventually(async () => reports.some(({ kind }) => kind === 'gone'))
})
