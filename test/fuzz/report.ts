import { describe } from './findings.ts'
import type { FuzzResult } from './fuzz.ts'
import { mb } from './supervisor.ts'

/** The summary of a run for people. */
export function reportOf(result: FuzzResult): string {
  const {
    seed,
    seconds,
    requests,
    requestsPerSecond,
    processor,
    statuses,
    worldsRenewed,
    coverage,
    slowest,
    longest,
    health,
    memory,
    findings,
  } = result
  const { operations, neverOk, neverSent } = coverage
  const share = (count: number): string => `${((100 * count) / requests).toFixed(1)} %`
  const rows = (pairs: readonly (readonly [string, string | number])[]): string =>
    pairs.map(([name, value]) => `    ${String(value).padStart(10)}  ${name}`).join('\n')
  return [
    `seed ${seed}: ${requests} requests in ${seconds.toFixed(0)} s (${requestsPerSecond} a second)`,
    `  processor time a request (ms): installation ${(processor.installation / requests).toFixed(1)}, fuzzer ${(processor.fuzzer / requests).toFixed(1)}`,
    `  answers:\n${rows(Object.entries(statuses).map(([status, count]) => [`${status} (${share(count)})`, count] as const))}`,
    `  worlds made anew because their keys were gone: ${worldsRenewed}`,
    `  operations: ${operations}, ${neverSent.length} not tried, ${neverOk.length} never answered 2xx${listOf(neverOk)}`,
    `  slowest (ms):\n${rows(slowest.map(({ name, ms }) => [name, ms] as const))}`,
    `  waited for the longest in all (ms):\n${rows(longest.map(({ name, ms }) => [name, ms] as const))}`,
    ...Object.entries(health).map(
      ([name, { count, p50Ms, p99Ms, maxMs }]) =>
        `  health of ${name}: p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)}, max ${maxMs.toFixed(0)} ms of ${count}`,
    ),
    ...Object.entries(memory).map(
      ([name, { startBytes, endBytes, peakBytes, floors }]) =>
        `  memory of ${name}: ${mb(startBytes)} at first, ${mb(endBytes)} at last, ${mb(peakBytes)} at most${
          floors ? `; the least ${mb(floors.first)} after the warm-up, ${mb(floors.last)} at the end` : ''
        }`,
    ),
    `  findings: ${findings.length}`,
    ...findings.slice(0, 20).map((finding, at) => `  ${at + 1}. ${describe(finding, seed)}`),
    ...(findings.length > 20 ? [`  and ${findings.length - 20} more`] : []),
    '',
  ].join('\n')
}

const listOf = (names: readonly string[]): string => names.map(name => `\n      ${name}`).join('')
