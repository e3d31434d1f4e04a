import { expect, test } from 'vitest'
import { allFlags, flagsOfSteps } from '../runs/flags.ts'
import type { Step } from '../runs/run-data.ts'
import { type Verdict, verdictOf } from './topology.ts'

const step = (key: string, type: Step['type'], references: Step['references'] = {}): Step => ({
  key,
  type,
  origin: 'auto',
  references,
  inputs: undefined,
  schemas: undefined,
})
const reference = { id: undefined, slug: 's', version: undefined }
const SOURCES: Record<string, Step> = {
  query: step('q', 'input', { query_revision: reference }),
  testset: step('t', 'input', { testset_revision: reference }),
  testcases: step('testcases', 'input'),
  traces: step('traces', 'input'),
}

const verdict = (
  sources: string[],
  { live = false, apps = 0, judges = 0 }: { live?: boolean; apps?: number; judges?: number },
): Verdict => {
  const steps = [
    ...sources.map(name => SOURCES[name] as Step),
    ...Array.from({ length: apps }, (_, n) => step(`a${n}`, 'invocation')),
    ...Array.from({ length: judges }, (_, n) => step(`e${n}`, 'annotation')),
  ]
  return verdictOf(allFlags({ ...flagsOfSteps(steps), is_live: live }), steps)
}

test.each<[string[], { live?: boolean; apps?: number; judges?: number }, Verdict]>([
  [['query', 'testset'], { judges: 1 }, 'refused'],
  [['query', 'testset'], { live: true, apps: 1, judges: 1 }, 'refused'],
  [['testset'], { live: true, judges: 1 }, 'refused'],
  [['testset'], { apps: 2, judges: 1 }, 'refused'],
  [['traces'], { apps: 2, judges: 1 }, 'refused'],
  [['query'], { live: true, judges: 1 }, 'live'],
  [['query'], { live: true }, 'refused'],
  [['query'], { live: true, apps: 1, judges: 1 }, 'refused'],
  [['testcases'], { judges: 1 }, 'open'],
  [['testcases'], { live: true, judges: 2 }, 'open'],
  [['traces'], { judges: 1 }, 'open'],
  [['traces'], {}, 'refused'],
  [['testcases'], { apps: 1, judges: 1 }, 'refused'],
  [['query'], { apps: 1, judges: 1 }, 'refused'],
  [['testset'], { judges: 1 }, 'testsets'],
  [['testset', 'testset'], { judges: 3 }, 'testsets'],
  [['query'], { judges: 1 }, 'queries'],
  [['testset'], { apps: 1 }, 'testsets'],
  [['testset'], { apps: 1, judges: 2 }, 'testsets'],
  [['testset'], {}, 'refused'],
  [['query'], {}, 'refused'],
  [[], { apps: 1, judges: 1 }, 'refused'],
  [[], {}, 'refused'],
])('%j with %j: %s', (sources, graph, expected) => {
  expect(verdict(sources, graph)).toBe(expected)
})
