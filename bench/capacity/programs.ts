import { readdir, readFile } from 'node:fs/promises'

/** What the command line of a store contains. */
const PROGRAMS = { nats: 'nats-server', postgres: 'postgres', clickhouse: 'clickhouse-server/program.ts' }

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** CPU seconds used so far by the stores among the descendants of a process, by program. */
export async function cpuSecondsByProgram(ancestor: number): Promise<Record<string, number>> {
  const processes = await Promise.all((await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(read))
  const byPid = new Map(processes.flatMap(one => (one ? [[one.pid, one] as const] : [])))
  const descends = (pid: number): boolean => {
    const parent = byPid.get(pid)?.parent ?? 0
    return parent === ancestor || (parent > 1 && descends(parent))
  }
  const sums: Record<string, number> = {}
  for (const { pid, command, ticks } of byPid.values()) {
    const [name] = Object.entries(PROGRAMS).find(([, part]) => command.includes(part)) ?? []
    if (name && descends(pid)) sums[name] = (sums[name] ?? 0) + ticks / TICKS_PER_SECOND
  }
  return sums
}

interface Process {
  pid: number
  parent: number
  command: string
  /** Those of children that have ended included. */
  ticks: number
}

async function read(name: string): Promise<Process | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8'),
      readFile(`/proc/${name}/cmdline`, 'utf8'),
    ])
    // Fields 3 to 17 of proc(5), after the name in parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid: Number(name), parent: Number(fields[1]), command, ticks }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
