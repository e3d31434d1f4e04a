import { randomUUID } from 'node:crypto'
import type { Uuid } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { newProject, openTestEngine } from '../spans.testing.ts'
import { readComparedCases, readComparison } from './comparison.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const CASES = 10_000
const project_id = newProject()

/** A run of as many testcases, of which each has one trace with a score. */
async function newRun() {
  const run_id: Uuid = randomUUID()
  const params = { project_id, run_id, cases: CASES }
  const trace = 'toFixedString(MD5(concat({run_id:String}, toString(number))), 16)'
  await engine.command({
    text: `INSERT INTO evaluation_cells (project_id, run_id, scenario_id, id, step_key, status, trace_id, testcase_id, version)
SELECT {project_id:UUID}, {run_id:UUID}, scenario, generateUUIDv4(key), key, 'success', if(key = 'e', ${trace}, ''),
  if(key = 't', reinterpretAsUUID(toUInt128(number + 1)), toUUID('00000000-0000-0000-0000-000000000000')), 1
FROM (SELECT number, reinterpretAsUUID(MD5(concat({run_id:String}, toString(number)))) AS scenario FROM numbers({cases:UInt64}))
ARRAY JOIN ['t', 'e'] AS key`,
    params,
  })
  await engine.command({
    text: `INSERT INTO spans (project_id, is_root, is_trace_head, start_time, trace_id, span_id, trace_type, span_name, data, attributes)
SELECT {project_id:UUID}, true, true, toDateTime64('2026-02-03 09:15:00', 6, 'UTC'), ${trace}, 'spanspan', 'annotation', 'e',
  '{"outputs":{"score":0.5}}', '{}' FROM numbers({cases:UInt64})`,
    params,
  })
  const scores = [{ step_key: 'e', path: ['ag', 'data', 'outputs', 'score'], isBinary: false }]
  return { run_id, inputs: ['t'], invocations: [], traced: ['e'], scores }
}

test('two large runs are matched case by case, whatever the engine remembers of one of them', async () => {
  const baseline = await newRun()
  // The engine knows the size of what it has joined before, and nothing of the others.
  for (const candidate of [await newRun(), await newRun(), await newRun()]) {
    const pair = { project_id, baseline, candidate }
    expect(await readComparison(engine, pair)).toMatchObject({ matched: CASES })
    const order = { score: 0, isHigherBetter: true, offset: 0, limit: 2 }
    expect(await readComparedCases(engine, pair, order)).toHaveLength(2)
  }
})
