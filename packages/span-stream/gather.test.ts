import { describe, expect, it } from 'vitest'
import { gather, type Sized, type Source } from './gather.ts'

/** A source that gets its next messages whenever somebody waits for a change. */
function sourceOf(...arrivals: Sized[][]): Source<Sized> & { left: Sized[] } {
  const left: Sized[] = []
  return {
    left,
    peek: () => left[0],
    take: () => void left.shift(),
    changed: async msMax => {
      const arrived = arrivals.shift()
      if (arrived) left.push(...arrived)
      else await new Promise(resolve => setTimeout(resolve, Math.min(msMax, 20)))
    },
  }
}

const LIMITS = { spansMax: 100, bytesMax: 1_000, lingerMs: 30 }
const message = (spans: number, bytes = 1): Sized => ({ spans, bytes })
const never = new AbortController().signal

describe('gather', () => {
  it.each([
    ['takes what is there', [[message(1), message(2)]], [1, 2], 0],
    ['waits for the first message', [[], [], [message(1)]], [1], 0],
    ['waits for more', [[message(1)], [message(2)], [message(3)]], [1, 2, 3], 0],
    ['is full at the limit of spans', [[message(60), message(40), message(1)]], [60, 40], 1],
    ['leaves what would exceed the limit of spans', [[message(60), message(41), message(1)]], [60], 2],
    ['leaves what would exceed the limit of bytes', [[message(1, 999), message(2, 2)]], [1], 1],
    ['takes a message that exceeds the limits alone', [[message(500, 5_000), message(1)]], [500], 1],
    ['counts messages without spans', [[message(0), message(0)]], [0, 0], 0],
  ])('%s', async (_what, arrivals, spans, left) => {
    const source = sourceOf(...arrivals)
    const batch = await gather(source, LIMITS, never)
    expect(batch.map(one => one.spans)).toEqual(spans)
    expect(source.left).toHaveLength(left)
  })

  it('returns when it is aborted', async () => {
    const aborted = new AbortController()
    const source = sourceOf([message(1)])
    const batch = gather(source, { ...LIMITS, lingerMs: 60_000 }, aborted.signal)
    setTimeout(() => aborted.abort(), 10)
    expect(await batch).toHaveLength(1)
    expect(await gather(source, LIMITS, aborted.signal)).toEqual([])
  })
})
