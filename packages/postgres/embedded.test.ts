import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { templatePath } from './embedded/template.ts'
import { openPostgres } from './postgres.ts'

const WRITER = join(import.meta.dirname, 'embedded-writer.testing.ts')
const MEMORY = join(import.meta.dirname, 'embedded-memory.testing.ts')
const DESCRIPTORS = join(import.meta.dirname, 'embedded-descriptors.testing.ts')

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'spanhouse-embedded-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const startWriter = (...template: string[]): ChildProcess =>
  spawn(process.execPath, [WRITER, dataDir, ...template], { stdio: ['ignore', 'pipe', 'inherit'] })

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Reads the names that the writer says it has committed, until there are `count` of them, then kills it. */
async function writeThenKill(count: number): Promise<string[]> {
  const child = startWriter()
  const names: string[] = []
  child.stdout?.setEncoding('utf8')
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    names.push(line)
    if (names.length === count) await kill(child)
  }
  return names
}

async function storedNames(): Promise<Set<string>> {
  const postgres = await openPostgres({ dataDir })
  const rows = await postgres.db.selectFrom('users').select('username').execute()
  await postgres.close()
  return new Set(rows.map(row => row.username))
}

describe('kill -9', () => {
  test('what was committed is there after the process was killed, three times over', async () => {
    const committed: string[] = []
    for (const count of [1, 40, 200]) committed.push(...(await writeThenKill(count)))
    const stored = await storedNames()
    expect(committed.length).toBeGreaterThanOrEqual(241)
    expect(committed.filter(name => !stored.has(name))).toEqual([])
  })

  test.each([
    ['makes', ''],
    ['copies', templatePath()],
  ])('a process killed while it %s the files leaves nothing that a later start stumbles over', async (_, template) => {
    const child = startWriter(template)
    const unfinished = join(dataDir, 'cluster.unfinished')
    while (!existsSync(join(unfinished, 'base'))) await delay(1)
    await kill(child)
    expect(existsSync(join(dataDir, 'cluster'))).toBe(false)
    const postgres = await openPostgres({ dataDir, template })
    expect((await postgres.migrate()).includes('001_access')).toBe(template === '')
    expect(await postgres.migrate()).toEqual([])
    await postgres.close()
    expect(existsSync(unfinished)).toBe(false)
  })
})

describe.runIf(process.platform === 'linux')('one process a folder', () => {
  test('a second one is refused, and let in when the first has closed it', async () => {
    const first = await openPostgres({ dataDir })
    await expect(openPostgres({ dataDir })).rejects.toThrow('in use by another process')
    await first.close()
    await (await openPostgres({ dataDir })).close()
  })
})

test.runIf(process.platform === 'linux')(
  'opening and using it takes no memory for optimizing its largest function',
  async () => {
    const mebibytes = Number(execFileSync(process.execPath, [MEMORY, dataDir]))
    // 245 to 330; with the parser of SQL optimized, 760.
    expect(mebibytes).toBeGreaterThan(100)
    expect(mebibytes).toBeLessThan(500)
  },
)

test('it goes on once a process without file descriptors has some again', async () => {
  execFileSync('sh', ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, DESCRIPTORS, dataDir])
})

test('without an address and a folder there is nothing to open', async () => {
  await expect(openPostgres({})).rejects.toThrow('url or a dataDir')
})
