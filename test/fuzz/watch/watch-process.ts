import { Watch } from './watch.ts'
import type { Command, Report } from './watcher.ts'

/** The watching process: started by `watcher.ts` with the milliseconds from which on a late answer is a freeze. */
const freezeMs = Number(process.argv[2])
const tell = (report: Report): void => void process.send?.(report)
const watches = new Map<string, Watch>()

process.on('message', (command: Command) => {
  if ('watch' in command) {
    const { name } = command.watch
    watches.get(name)?.stop()
    const watch = new Watch(command.watch, { freezeMs, tell, past: watches.get(name)?.latencies })
    watches.set(name, watch)
    void watch.run()
  } else if ('forget' in command) watches.get(command.forget)?.stop()
  else {
    const latency = Object.fromEntries(Array.from(watches, ([name, watch]) => [name, watch.summary()]))
    for (const watch of watches.values()) watch.stop()
    tell({ kind: 'summary', latency })
  }
})
process.on('disconnect', () => process.exit())
// Whoever started it says when it is over; a terminal tells all of its processes at once.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
