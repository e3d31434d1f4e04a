import { readdir, readFile } from 'node:fs/promises'

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** CPU seconds used so far by a process and its children, including children that have exited. */
export const cpuSecondsOf = async (pid: number): Promise<number> =>
  secondsOf((await statOf(pid)).slice(0, 4)) + (await childrensCpuSecondsOf(pid))

/** CPU seconds used so far by the children of a process that are running. */
export async function childrensCpuSecondsOf(pid: number): Promise<number> {
  const children = await Promise.all((await childrenOf(pid)).map(statOf))
  return secondsOf(children.flatMap(child => child.slice(0, 2)))
}

const secondsOf = (ticks: readonly number[]): number => ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND

/** The sum of the peak resident memory of a process and its children, each at its own time. */
export async function peakBytesOf(pid: number): Promise<number> {
  const statuses = [pid, ...(await childrenOf(pid))].map(one => readFile(`/proc/${one}/status`, 'utf8'))
  const peaks = (await Promise.all(statuses)).map(text => Number(/VmHWM:\s+(\d+)/.exec(text)?.[1]) * 1024)
  return peaks.reduce((sum, one) => sum + one, 0)
}

/** The memory that a process and its children hold now; pages that several map are divided among them. */
export async function memoryBytesOf(pid: number): Promise<number> {
  const sizes = [pid, ...(await childrenOf(pid))].map(async one => {
    const text = await readFile(`/proc/${one}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) * 1024
  })
  return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0)
}

/** Fields 14 to 17 of proc(5): its own, in user and system mode, and those of the children it has waited for. */
async function statOf(pid: number): Promise<number[]> {
  const [, afterName = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')
  return afterName.split(' ').slice(11, 15).map(Number)
}

/** The processes that a process has started and that are running. */
export async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map(id => readFile(`/proc/${pid}/task/${id}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap(list => list.split(' ').filter(Boolean).map(Number))
}
