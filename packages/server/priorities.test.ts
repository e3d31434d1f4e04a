import { readdir, readFile, rm } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { newDataDir, startServerProcess } from './server-process.testing.ts'

test('requests get the processor before writers and ClickHouse', async () => {
  const dataDir = await newDataDir('priorities')
  const server = await startServerProcess({ dataDir })
  try {
    const own = getPriority()
    const lower = Math.min(own + 5, 19)
    const threads = await threadsOf(server.pid)
    const writers = threads.filter(({ name, nice }) => name === 'WorkerThread' && nice === lower)
    expect(writers).toHaveLength(2)
    expect(threads.find(({ id }) => id === server.pid)?.nice).toBe(own)
    const [clickHouse] = await Promise.all(threads.map(({ id }) => childrenOf(server.pid, id))).then(all => all.flat())
    const inserting = (await threadsOf(clickHouse as number)).filter(({ name }) => /HTTPHandler|Merge/.test(name))
    expect(new Set(inserting.map(({ nice }) => nice))).toEqual(new Set([lower]))
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

interface Thread {
  id: number
  name: string
  nice: number
}

/** The threads of a process by proc(5): the name is in brackets, the nice value the 17th field after it. */
async function threadsOf(pid: number): Promise<Thread[]> {
  const ids = await readdir(`/proc/${pid}/task`)
  const stats = await Promise.all(ids.map(id => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8').catch(() => '')))
  return stats.filter(Boolean).map(stat => {
    const [, id, name = '', fields = ''] = /^(\d+) \((.*)\) (.*)/.exec(stat) ?? []
    return { id: Number(id), name, nice: Number(fields.split(' ')[16]) }
  })
}

const childrenOf = async (pid: number, thread: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .filter(Boolean)
    .map(Number)
