import { expect, test } from 'vitest'
import { Batches } from './batches.ts'

/** Work that waits to be let go. */
function held() {
  const begun: number[][] = []
  let release: () => void = () => {}
  const work = (items: number[]): Promise<void> => {
    begun.push([...items])
    return new Promise(resolve => {
      release = resolve
    })
  }
  return { begun, work, release: () => release() }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('a lone list is worked on at once; those that come meanwhile are worked on together, within the limit', async () => {
  const batches = new Batches<number>(3)
  const { begun, work, release } = held()
  const first = batches.add('a', [1], work)
  await turn()
  expect(begun).toEqual([[1]])
  const others = [[2], [3, 4], [5]].map(items => batches.add('a', items, work))
  const elsewhere = batches.add('b', [9], async () => {})
  await Promise.all([turn(), elsewhere])
  expect(begun).toEqual([[1]])
  release()
  await first
  await turn()
  expect(begun).toEqual([[1], [2, 3, 4]])
  release()
  await Promise.all(others.slice(0, 2))
  await turn()
  release()
  await others[2]
  expect(begun).toEqual([[1], [2, 3, 4], [5]])
})

test('a batch that fails rejects for its own callers alone', async () => {
  const batches = new Batches<number>(10)
  const work = async (items: number[]): Promise<void> => {
    if (items.includes(1)) throw new Error('no')
  }
  const results = await Promise.allSettled([batches.add('a', [1], work), batches.add('a', [2], work)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(batches.add('a', [3], work)).resolves.toBeUndefined()
})
