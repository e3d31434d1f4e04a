import type { Lease } from '@spanhouse/postgres'
import pino from 'pino'
import { expect, test } from 'vitest'
import { holdPartitions } from './partitions.ts'

test('a partition that was acquired just before Postgres failed is written too', async () => {
  let isOtherThere = true
  let hasFailed = false
  const leases = {
    /** The other writer leaves with partition 2; when the next one is asked for, Postgres fails once. */
    lease: async (name: string): Promise<Lease | null> => {
      if (name === 'span-partition-2' && isOtherThere) return null
      if (name === 'span-partition-3') {
        if (isOtherThere || hasFailed) return null
        hasFailed = true
        throw new Error('too many connections')
      }
      return { name, lost: new AbortController().signal, release: async () => {} }
    },
    leasesHeld: async () => (isOtherThere ? 2 : 1),
  }
  const runs: (readonly number[])[] = []
  const stopping = new AbortController()
  const holding = holdPartitions({
    partitions: [0, 1, 2, 3],
    leases,
    signal: stopping.signal,
    log: pino({ level: 'silent' }),
    run: async (partitions, signal) => {
      runs.push(partitions)
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  })
  await expect.poll(() => runs).toEqual([[0, 1]])
  isOtherThere = false
  await expect
    .poll(() => runs, { timeout: 5_000 })
    .toEqual([
      [0, 1],
      [0, 1, 2],
    ])
  stopping.abort()
  await holding
})
