import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { Quotas } from './quotas.ts'

const principal = (quota: object, more: object = {}): any => ({ kind: 'project', project_id: 'p', quota, ...more })

/** How many of the requests are admitted at this time. */
function admitted(quotas: Quotas, who: any, { requests, atMs }: { requests: number; atMs: number }): number {
  let count = 0
  for (let request = 0; request < requests; request++)
    try {
      quotas.take(who, 'requests_per_second', 1, atMs)
      count++
    } catch {}
  return count
}

test('a burst of a second, then the rate', () => {
  const quotas = new Quotas(new Registry())
  const who = principal({ requests_per_second: 10 })
  expect(admitted(quotas, who, { requests: 30, atMs: 0 })).toBe(10)
  expect(admitted(quotas, who, { requests: 30, atMs: 500 })).toBe(5)
  expect(admitted(quotas, who, { requests: 30, atMs: 60_000 })).toBe(10)
  expect(admitted(quotas, principal({}), { requests: 30, atMs: 0 })).toBe(30)
})

test('a key has a quota of its own within that of its project', () => {
  const quotas = new Quotas(new Registry())
  const key = principal({ requests_per_second: 10 }, { key_prefix: 'k', key_quota: { requests_per_second: 3 } })
  expect(admitted(quotas, key, { requests: 30, atMs: 0 })).toBe(3)
  expect(admitted(quotas, principal({ requests_per_second: 10 }), { requests: 30, atMs: 0 })).toBe(7)
})

test('what overdraws is paid back, and the refusal says when', () => {
  const quotas = new Quotas(new Registry())
  const who = principal({ spans_per_second: 100 })
  quotas.take(who, 'spans_per_second', 1_000, 0)
  const refused = () => quotas.admit(who, 'spans_per_second', 5_000)
  expect(refused).toThrow(expect.objectContaining({ code: 'too_many_requests', retryAfterSeconds: 5 }))
  expect(refused).toThrow('The quota of this project is 100 spans per second')
  expect(() => quotas.admit(who, 'spans_per_second', 9_100)).not.toThrow()
})

test('what was taken and not used is given back', () => {
  const quotas = new Quotas(new Registry())
  const who = principal({ spans_per_second: 100 })
  quotas.take(who, 'spans_per_second', 100, 0)
  expect(() => quotas.take(who, 'spans_per_second', 1, 0)).toThrow('The quota of this project')
  quotas.giveBack(who, 'spans_per_second', 40, 0)
  quotas.take(who, 'spans_per_second', 40, 0)
  expect(() => quotas.take(who, 'spans_per_second', 1, 0)).toThrow('The quota of this project')
})

test('however many others come, what overdraws is not forgotten before it is paid back', () => {
  const quotas = new Quotas(new Registry())
  const quota = { requests_per_second: 1 }
  const who = principal(quota)
  const others = (first: number, atMs: number): void => {
    for (let at = first; at < first + 10_001; at++)
      quotas.take(principal(quota, { project_id: `other ${at}` }), 'requests_per_second', 1, atMs)
  }
  quotas.take(who, 'requests_per_second', 20, 0)
  others(0, 5_000)
  others(20_000, 10_000)
  expect(() => quotas.admit(who, 'requests_per_second', 10_000)).toThrow('The quota of this project')
  others(40_000, 30_000)
  expect(() => quotas.admit(who, 'requests_per_second', 30_000)).not.toThrow()
})
