import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pool, type Tenant, WAIT_MS } from './pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const tenant = (project_id: string, organization_id = project_id): Tenant => ({ project_id, organization_id })
const [a, b, c, d] = [tenant('a'), tenant('b'), tenant('c'), tenant('d')] as const
const never = new AbortController().signal

/** Requests of tenants to one pool, by name in the order in which they were admitted or refused. */
function asking(pool: Pool) {
  const admitted: string[] = []
  const refused: string[] = []
  const releases = new Map<string, () => void>()
  const ask = (name: string, who: Tenant, signal = never) =>
    pool.take(who, signal).then(
      release => {
        admitted.push(name)
        releases.set(name, release)
      },
      error => void refused.push(`${name} ${error.code ?? error.message}`),
    )
  const settle = () => vi.advanceTimersByTimeAsync(0)
  const release = async (name: string) => {
    releases.get(name)?.()
    await settle()
  }
  return { admitted, refused, ask, settle, release }
}

test('no project holds more than its part, and the others find the rest', async () => {
  const { admitted, ask, settle } = asking(new Pool('read', { slots: 4, project: 2, organization: 3, waiting: 8 }))
  for (const name of ['a1', 'a2', 'a3']) void ask(name, a)
  void ask('b1', b)
  await settle()
  expect(admitted).toEqual(['a1', 'a2', 'b1'])
})

test('the projects of one organization have a part together', async () => {
  const { admitted, ask, settle, release } = asking(
    new Pool('read', { slots: 4, project: 2, organization: 3, waiting: 8 }),
  )
  for (const [index, project] of ['p1', 'p1', 'p2', 'p2', 'p3'].entries())
    void ask(`${project}-${index}`, tenant(project, 'one organization'))
  void ask('other', b)
  await settle()
  expect(admitted).toEqual(['p1-0', 'p1-1', 'p2-2', 'other'])
  await release('p1-0')
  expect(admitted.at(-1)).toBe('p2-3')
})

test('a slot goes to the projects in turn, not to who has most requests', async () => {
  const { admitted, ask, settle, release } = asking(
    new Pool('read', { slots: 1, project: 1, organization: 1, waiting: 8 }),
  )
  void ask('first', d)
  await settle()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, a)
  for (const name of ['b1', 'b2']) void ask(name, b)
  void ask('c1', c)
  for (const name of ['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await release(name)
  expect(admitted).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('beyond its queue and after ten seconds a request is refused: 429 for its own flood, 503 for that of others', async () => {
  const pool = new Pool('read', { slots: 3, project: 2, organization: 2, waiting: 1 })
  const { admitted, refused, ask, settle, release } = asking(pool)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, a)
  await settle()
  expect(refused).toEqual(['a4 too_many_requests'])
  for (const name of ['b1', 'b2']) void ask(name, b)
  await vi.advanceTimersByTimeAsync(WAIT_MS)
  expect(refused).toEqual(['a4 too_many_requests', 'a3 too_many_requests', 'b2 overloaded'])
  expect([pool.inUse, pool.waiting]).toEqual([3, 0])
  for (const name of ['a1', 'a2', 'b1']) await release(name)
  expect(pool.inUse).toBe(0)
  expect(admitted).toEqual(['a1', 'a2', 'b1'])
})

test('who hangs up waits no longer, and a slot is given back once', async () => {
  const pool = new Pool('read', { slots: 1, project: 1, organization: 1, waiting: 8 })
  const { admitted, refused, ask, settle, release } = asking(pool)
  const leaving = new AbortController()
  void ask('a1', a)
  void ask('a2', a, leaving.signal)
  void ask('a3', a)
  await settle()
  leaving.abort(new Error('left'))
  await settle()
  expect(refused).toEqual(['a2 left'])
  await release('a1')
  await release('a1')
  expect([admitted, pool.inUse]).toEqual([['a1', 'a3'], 1])
  await ask('late', a, leaving.signal)
  expect(refused).toEqual(['a2 left', 'late left'])
})
