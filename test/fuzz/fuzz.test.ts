import { expect, test } from 'vitest'
import { describe } from './findings.ts'
import { fuzz } from './fuzz.ts'

const SEED = 7
const SECONDS = 15

/**
 * A short run with the same requests every time. The bounds of time are wide, for machines that are busy with other
 * tests; statuses, crashes and leaks are judged as ever.
 */
test('no request of a short run freezes, kills or fills the process, or shows what is not its own', async () => {
  const { findings, requests, statuses } = await fuzz({
    target: { set: 'embedded' },
    seconds: SECONDS,
    seed: SEED,
    bounds: { freezeMs: 2_000, neighbourMs: 20_000, answerMs: 60_000 },
    tell: line => console.log(line),
  })
  expect(findings.map(finding => describe(finding, SEED))).toEqual([])
  expect(requests).toBeGreaterThan(100)
  for (const status of [200, 202, 400, 401, 404, 422]) expect(statuses[status], String(status)).toBeGreaterThan(0)
})
