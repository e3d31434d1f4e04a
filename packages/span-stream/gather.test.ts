import { describe, expect, it } from 'vitest'
import { Batches, type Source, type Waiting } from './gather.ts'
import type { Lane } from './lanes.ts'

type Left = Record<Lane, Waiting[]>

/** A source that gets its next messages whenever somebody waits for a change. */
function sourceOf(arrivals: Partial<Left>[]): Source<Waiting> & { left: Left } {
  const left: Left = { prompt: [], bulk: [] }
  const arrive = ({ prompt = [], bulk = [] }: Partial<Left> = {}): void => {
    left.prompt.push(...prompt)
    left.bulk.push(...bulk)
  }
  arrive(arrivals.shift())
  return {
    left,
    peek: lane => left[lane][0],
    take: lane => void left[lane].shift(),
    changed: async msMax => {
      if (arrivals.length > 0) arrive(arrivals.shift())
      else await new Promise(resolve => setTimeout(resolve, Math.min(msMax, 20)))
    },
  }
}

const LIMITS = { spansMax: 100, sharedSpansMax: 20, bytesMax: 1_000, lingerMs: 30 }
let sequence = 0
const message = (spans: number, bytes = 1, project_id = 'a'): Waiting => ({
  project_id,
  sequence: sequence++,
  spans,
  bytes,
})
const from = (project_id: string, ...spans: number[]): Waiting[] => spans.map(count => message(count, 1, project_id))
const spansOf = (batch: readonly Waiting[]): number[] => batch.map(one => one.spans)
const never = new AbortController().signal

describe('a batch', () => {
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
    const source = sourceOf(arrivals.map(prompt => ({ prompt })))
    expect(spansOf(await new Batches(source, LIMITS).next(never))).toEqual(spans)
    expect(source.left.prompt).toHaveLength(left)
  })

  it('returns when it is aborted', async () => {
    const aborted = new AbortController()
    const batches = new Batches(sourceOf([{ prompt: [message(1)] }]), { ...LIMITS, lingerMs: 60_000 })
    const batch = batches.next(aborted.signal)
    setTimeout(() => aborted.abort(), 10)
    expect(await batch).toHaveLength(1)
    expect(await batches.next(aborted.signal)).toEqual([])
  })
})

describe('of two lanes', () => {
  const batchesOf = async (arrivals: Partial<Left>[], count: number): Promise<number[][]> => {
    const batches = new Batches(sourceOf(arrivals), LIMITS)
    const taken: number[][] = []
    while (taken.length < count) taken.push(spansOf(await batches.next(never)))
    return taken
  }

  it('all messages of a single project are one batch, in order', async () => {
    const [one, two, three] = from('a', 1, 2, 30) as [Waiting, Waiting, Waiting]
    expect(await batchesOf([{ prompt: [one, three], bulk: [two] }], 1)).toEqual([[1, 2, 30]])
  })

  it('several projects take turns: bulk batches are small, prompt ones are not', async () => {
    const arrivals = { prompt: from('b', 30, 40), bulk: from('a', 10, 10, 10, 10) }
    expect(await batchesOf([arrivals], 3)).toEqual([
      [30, 40],
      [10, 10],
      [10, 10],
    ])
  })

  it('of projects that are all beyond their pace a batch has what is there', async () => {
    const bulk = [...from('a', 10, 10), ...from('b', 10, 10)]
    expect(await batchesOf([{ bulk }], 1)).toEqual([[10, 10, 10, 10]])
  })

  it('a backlog is passed by a message that arrives later, and neither keeps the other waiting', async () => {
    const source = sourceOf([{ bulk: from('a', ...Array<number>(8).fill(10)) }])
    const cut = new Batches(source, { ...LIMITS, spansMax: 20 })
    expect(spansOf(await cut.next(never))).toEqual([10, 10])
    source.left.prompt.push(...from('b', 1))
    expect(spansOf(await cut.next(never))).toEqual([1])
    expect(spansOf(await cut.next(never))).toEqual([10, 10])
    source.left.prompt.push(...from('b', 2, 3))
    expect(spansOf(await cut.next(never))).toEqual([2, 3])
  })

  it('a batch that waits for more ends when another project sends', async () => {
    const source = sourceOf([{ bulk: from('a', 10) }, { prompt: from('b', 1) }])
    const batches = new Batches(source, { ...LIMITS, lingerMs: 60_000 })
    expect(spansOf(await batches.next(never))).toEqual([10])
    source.left.bulk.push(...from('a', 10))
    expect(spansOf(await batches.next(never))).toEqual([1])
  })
})
