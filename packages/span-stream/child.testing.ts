import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { consume, createMessage, openPlace, type Place, until } from './contract.testing.ts'

/**
 * What a child process does until it is killed: publish and report each stored id; receive messages without settling
 * them; or publish until that fails, report the reason, and then acknowledge everything.
 */
export type Task = 'publish' | 'hold' | 'fill'

export interface Child {
  /** The ids published or delivered so far, and other reports. */
  told: string[]
  /** kill -9 */
  kill(): Promise<void>
}

/** `fileBlocksMax` limits the size of files, in the blocks of the shell's `ulimit` (512 or 1024 bytes). */
export function startChild(task: Task, place: Place, { fileBlocksMax = 'unlimited' } = {}): Child {
  const command = [process.execPath, fileURLToPath(import.meta.url), task, JSON.stringify(place)]
  const child = spawn('sh', ['-c', `ulimit -f ${fileBlocksMax} && exec "$0" "$@"`, ...command], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  const told: string[] = []
  child.on('message', message => told.push(String(message)))
  return {
    told,
    kill: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

const PUBLISHERS = 4
const tell = (what: string) => process.send?.(what)

const TASKS: Record<Task, (place: Place) => Promise<unknown>> = {
  publish: async place => {
    const stream = await openPlace(place)
    const publish = async () => {
      for (;;) {
        const message = createMessage({ id: randomUUID(), body: Buffer.alloc(20_000) })
        await stream.publish([message])
        tell(message.id)
      }
    }
    await Promise.all(Array.from({ length: PUBLISHERS }, publish))
  },
  hold: async place => {
    const stream = await openPlace(place)
    await consume(stream, Number.POSITIVE_INFINITY, ({ message }) => tell(message.id))
  },
  fill: async place => {
    const stream = await openPlace(place)
    const publish = () =>
      stream.publish([createMessage({ body: Buffer.alloc(1_000_000) })]).then(
        () => 'stored',
        error => error.code,
      )
    for (let refusals = 0; refusals < 3; ) {
      const outcome = await publish()
      if (outcome === 'stored') continue
      refusals++
      tell(outcome)
    }
    const { depth } = await stream.stats()
    await consume(stream, depth)
    await until(async () => (await publish()) === 'stored')
    tell(`${(await stream.stats()).depth} after ${depth}`)
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [task, place] = process.argv.slice(2) as [Task, string]
  process.on('disconnect', () => process.exit())
  await TASKS[task](JSON.parse(place))
}
