import { expect, test } from 'vitest'
import { allFlags } from '../runs/flags.ts'
import type { Step } from '../runs/run-data.ts'
import { planCells } from './plan.ts'

const step = (key: string, type: Step['type'], origin: Step['origin'] = 'auto'): Step => ({
  key,
  type,
  origin,
  references: {},
  inputs: undefined,
  schemas: undefined,
})
const APP = step('app', 'invocation', 'custom')
const JUDGE = step('judge', 'annotation')
const HUMAN = step('human', 'annotation', 'human')
const CLIENT = step('client', 'annotation', 'custom')

const planned = (steps: Step[], { repeats = 2, is_split = false } = {}): string[] => {
  const data = {
    steps: [step('other', 'input'), step('in', 'input'), ...steps],
    repeats,
    concurrency: undefined,
    mappings: undefined,
  }
  return planCells({ data, flags: allFlags({ is_split }) }, 'in').map(
    ({ step_key, repeat_idx, does }) => `${step_key} ${repeat_idx} ${does}`,
  )
}
const SOURCE = ['in 0 source', 'in 1 source']

test.each<[string, Step[], { repeats?: number; is_split?: boolean }, string[]]>([
  ['an application alone runs every repeat', [APP], {}, [...SOURCE, 'app 0 execute', 'app 1 execute']],
  ['split means nothing without evaluators', [APP], { is_split: true }, [...SOURCE, 'app 0 execute', 'app 1 execute']],
  [
    'before evaluators an application runs once',
    [APP, JUDGE, HUMAN],
    {},
    [...SOURCE, 'app 0 execute', 'judge 0 execute', 'judge 1 execute', 'human 0 wait', 'human 1 wait'],
  ],
  [
    'split, it runs every repeat',
    [APP, CLIENT],
    { is_split: true },
    [...SOURCE, 'app 0 execute', 'app 1 execute', 'client 0 wait', 'client 1 wait'],
  ],
  ['evaluators alone', [JUDGE], { repeats: 1, is_split: true }, ['in 0 source', 'judge 0 execute']],
  ['no repeat at all is one', [JUDGE], { repeats: 0 }, ['in 0 source', 'judge 0 execute']],
])('%s', (_name, steps, options, cells) => {
  expect(planned(steps, options)).toEqual(cells)
})
