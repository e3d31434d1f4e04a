import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace-node'
import { PROJECT_ATTRIBUTE } from '@spanhouse/telemetry'
import { expect, test } from 'vitest'
import { RootSampler, TRACES_PER_SECOND_MAX } from './root-sampler.ts'

test('records the first traces of each second, and none of its own project', () => {
  let nowMs = 500
  let skipped = 0
  const sampler = new RootSampler(
    'own',
    () => void skipped++,
    () => nowMs,
  )
  const recorded = (project: string, count: number): number =>
    Array.from({ length: count }, () =>
      sampler.shouldSample(ROOT_CONTEXT, '0'.repeat(32), 'n', SpanKind.SERVER, { [PROJECT_ATTRIBUTE]: project }),
    ).filter(({ decision }) => decision === SamplingDecision.RECORD_AND_SAMPLED).length
  expect(recorded('own', 100)).toBe(0)
  expect(skipped).toBe(0)
  expect(recorded('other', TRACES_PER_SECOND_MAX + 7)).toBe(TRACES_PER_SECOND_MAX)
  expect(skipped).toBe(7)
  nowMs = 1_001
  expect(recorded('other', 3)).toBe(3)
})
