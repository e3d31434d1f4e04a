import { setTimeout as delay } from 'node:timers/promises'
import { giveBackHeapPages } from './heap-pages.ts'

/**
 * Takes 250 MB of heap once, continues with a little work, and exits successfully if most of it is released within a
 * minute.
 */
giveBackHeapPages()
const kept = { objects: Array.from({ length: 1_500_000 }, (_, at) => ({ at, text: `t${at}`, list: [at] })) }
await delay(500)
const peak = process.memoryUsage.rss()
kept.objects = []
let small: object[] = []
for (const end = Date.now() + 60_000; Date.now() < end; await delay(2)) {
  for (let at = 0; at < 5_000; at++) small.push({ at, text: `s${at}` })
  if (small.length > 50_000) small = []
  if (process.memoryUsage.rss() < peak - 120e6) process.exit(0)
}
process.exit(1)
